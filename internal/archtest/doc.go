// Package archtest checks the repository's layout and language, as tests. The layout is which
// package may import which, where a library has its home, and how large files and packages may be;
// its rules are the tables in rules.go, each with its reason. The language is which phrases are
// banned (words.go), how wide a line may be, and that each package and each exported name of pkg/
// and the Go SDK has a doc comment.
//
// Only source is read, that of all modules in the repository and for all build tags; nothing is
// built.
package archtest
