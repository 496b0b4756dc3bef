// Package reference describes what an expression may name, for the pages of the documentation. Only
// tests use it.
package reference
