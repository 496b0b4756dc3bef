// Package archtest holds the repository to its layout, as tests: which package may import which,
// where a library has its home, one doc comment for each package, and how long a file may be. The
// rules are the tables in rules.go, each with its reason, which a failing test prints.
//
// Only source is read, that of all modules in the repository and for all build tags; nothing is
// built.
package archtest
