// Package syntax answers what expr's parser refuses: it recognizes the forms of other languages in
// a text, and proposes the expression to write. [Source.Refusal] is the answer.
//
//   - A proposal lets the parser read on: [Source.Mends].
//   - Nothing here looks at a tree. What is wrong about one that could be read is said by check.
package syntax
