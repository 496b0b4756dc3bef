// Package lang has the words of the language: what an [Expression] is, its kind and its place in a
// file, the mistakes in it, the bounds on it, and the names of its variables and functions. All
// other packages of filters use it. It neither reads nor evaluates anything.
package lang
