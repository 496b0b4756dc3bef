//go:build race

package code

// slower and larger are how many times as much time and memory a child may use as it says, since
// checks of the toolchain are at work in it.
const (
	slower = 10
	larger = 3
)
