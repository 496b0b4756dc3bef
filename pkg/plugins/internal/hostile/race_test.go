//go:build race

package hostile_test

// slower is how many times as long things may take here. The race detector makes the host's own
// code, above all that which parses and compiles modules, 5 to 15 times slower, and the bounds are
// for the host as it is shipped.
const slower = 10

const race = true

// kept is without limit here: the race detector keeps notes about all memory that was ever written
// to.
const kept = 1 << 62
