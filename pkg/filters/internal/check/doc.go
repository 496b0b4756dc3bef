// Package check reads an expression and finds the mistakes in it. [Expression] is the first stage
// of compiling: what it accepts, the later stages take without an error.
//
// # The order of the checks
//
//  1. expr's parser reads the text. A mistake that ends its work is the only one reported.
//  2. The inspector refuses what the language has and an expression must not use.
//  3. The schema tells which fields there are, and of which types.
//  4. expr's checker compares types.
//  5. The constants next to quantities, durations and so on are read.
//
// # What is promised
//
//   - A mistake has its place in the text, what is wrong there, and the name that was probably
//     meant, if one is near. Words of other languages have a line in one table, see foreign.go.
//   - The text is not rewritten, and nothing is tried.
//   - Warnings change no answer.
package check
