// Package lang has the words of the language: what an [Expression] is, its kind and its place in a
// file, the mistakes in it, the bounds on it, the names of its variables and functions, and
// questions about its syntax tree. All other packages of filters use it. It evaluates nothing.
package lang
