// Package explain shows how an expression came to its answer. [Match] compiles it again, so that
// the values of its parts are recorded, evaluates it once, and returns the parts as a tree with
// their texts and values. [Explanation.Write] prints the tree within bounds.
package explain
