// Package doubts finds what an expression says and its author probably did not mean: it compiles,
// and is answered for every object, but not as it reads.
//
//   - A number or a list that is left out when it is 0 or empty is nil, which differs from both.
//   - A condition, an owner or a kind that objects of a kind do not have.
//   - A wildcard where text is exact, and a pattern of another language.
//
// All is known from the tree and from the kind of the objects. What needs types is in check.
package doubts
