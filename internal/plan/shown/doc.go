// Package shown says in words what a plan has: what is decided before a buffer, and where outputs
// send messages.
package shown
