//go:build race

package object

// raceDetector: what things cost says nothing of what they cost without it.
const raceDetector = true
