//go:build race

package child

// slower is how many times as much a child may use as it says, since checks of the toolchain are at work in it.
const slower = 10
