// Package mismatch answers what expr's checker refuses: values of types that do not fit together.
// It says so in the words of users, and proposes what to write. [Hint] is the answer.
package mismatch
