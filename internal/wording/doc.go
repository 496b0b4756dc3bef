// Package wording is how texts are written for people: in logs, on terminals, in Events.
//
//   - What comes from others does not command a terminal, and does not break a line.
//   - What is too long is cut between characters, and says so.
package wording
