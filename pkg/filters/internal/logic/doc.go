// Package logic finds slips in how an expression combines comparisons.
//
//   - [Negated]: a negation before a comparison, !a == "b", negates a alone.
//   - [Several]: x == "a" || "b" compares x with "a" alone.
//   - [Guards]: old.x != object.x is meant where something else asks for an old object.
//   - [NoRule]: severity == "high" && x is never true if no rule has that severity.
//   - [Chains]: a == "x" && a == "y" is never true, and a != "x" || a != "y" always is.
package logic
