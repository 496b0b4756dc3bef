// Package memory is what a running listener remembers of an object by its rules, in the form in
// which a daemon tells it to commands, and in words.
package memory
