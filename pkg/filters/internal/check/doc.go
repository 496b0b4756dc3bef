// Package check reads an expression and finds the mistakes in it. [Expression] is the first stage
// of compiling: what it accepts, the later stages take without an error.
//
// # The order of the checks
//
//  1. expr's parser reads the text. A mistake that ends its work is mended and the text read again,
//     so that the mistakes behind it are found as well.
//  2. The inspector refuses what the language has and a filter must not use.
//  3. expr's checker compares types.
//  4. The schema tells which fields there are.
//  5. The constants next to quantities, durations and so on are read.
//
// # What is promised
//
//   - A mistake has its place in the text, and a proposal if it is known what was meant.
//   - A proposed text has no mistake at that place.
//   - Warnings change no answer.
package check
