package kafka

import "time"

// Hurry makes clients try again sooner.
func Hurry() { retries.Min, retries.Max = 10*time.Millisecond, 50*time.Millisecond }
