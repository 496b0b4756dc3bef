package endpoints

import "github.com/informerd/informerd/pkg/filters/rules"

// Violation is one object that a rule denies, Count what open violations are counted by.
type (
	Violation = rules.Violation
	Count     = rules.Count
)
