// Package logic finds slips in how an expression combines comparisons.
//
//   - [Negated]: a negation before a comparison, !a == "b", negates a alone.
//   - [Several]: x == "a" || "b" compares x with "a" alone.
//   - [Chains]: a == "x" && a == "y" is never true, and a != "x" || a != "y" always is.
package logic
