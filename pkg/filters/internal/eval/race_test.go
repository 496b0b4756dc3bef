//go:build race

package eval_test

// raceDetector: what steps cost says nothing of what they cost without it.
const raceDetector = true
