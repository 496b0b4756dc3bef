// Package habits knows how functions and methods of CEL, JavaScript, Go, jq and SQL are written
// here. [Table] has them by their names. [Rewritings] reads a text of which much is no expression
// of this language, and writes what it can in its words: of methods on the results of methods, and
// of conditions about items that have a name there, it makes one expression.
//
// It does not compile what it writes. Whoever proposes a rewriting tries it first.
package habits
