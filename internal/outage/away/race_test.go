//go:build race

package away

// raced: the race detector makes everything ten times as slow.
const raced = true
