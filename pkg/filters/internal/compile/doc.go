// Package compile makes a program of a syntax tree that was checked. [Program] rewrites the tree,
// so that it reads fields from JSON text and is safe of nil, and has expr compile the result. The
// tree that was read stays as it was: all nodes of the result are new.
package compile
