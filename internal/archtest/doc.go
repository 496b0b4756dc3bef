// Package archtest checks the repository's layout, as tests: which package may import which, where a
// library has its home, and that each package and each exported name of pkg/ and the Go SDK has a
// doc comment. The rules are the tables in rules.go, each with its reason.
//
// Only source is read, that of all modules in the repository and for all build tags; nothing is
// built.
package archtest
