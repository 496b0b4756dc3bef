// Package nodes answers questions about the nodes of a syntax tree, as expr's parser makes it: what
// is below a node, which field it reads, which text it was written as, which values it has.
// Checking, compiling and explaining share it, so that they mean the same by a tree. It changes no
// node.
package nodes
