//go:build !mutants

package informer

// mutated is false. With the build tag mutants it is true for the defect that INFORMERD_MUTANT
// names, so that it can be shown that the tests notice it (make mutants). The compiler removes what
// it guards.
func mutated(string) bool { return false }
