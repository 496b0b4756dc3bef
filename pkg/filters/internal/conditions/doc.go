// Package conditions translates a syntax tree into a condition.Set: what can be asked of an event
// before the expression is evaluated. [Of] works on the tree as the user wrote it. What it cannot
// translate it leaves out, so that the conditions are necessary and not always sufficient.
package conditions
