//go:build mutants

package informer

import "os"

var mutant = os.Getenv("INFORMERD_MUTANT")

// mutated is true for the defect under test.
func mutated(defect string) bool { return defect == mutant }
