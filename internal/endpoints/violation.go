package endpoints

import "github.com/informerd/informerd/pkg/filters/rules"

// Violation is one object that a rule denies; Count is the number of open violations of a rule and
// namespace.
type (
	Violation = rules.Violation
	Count     = rules.Count
)
