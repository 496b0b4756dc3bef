//go:build !race

package hostile_test

const slower = 1

// kept are the bytes of memory that may not be given back.
const kept = 32 << 20
