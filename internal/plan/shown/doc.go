// Package shown says in words what a plan has: where its outputs send messages.
package shown
