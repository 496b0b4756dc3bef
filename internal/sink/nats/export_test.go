package nats

import "time"

// Hurry makes Writes wait less for a connection, and connect more often.
func Hurry() {
	patience = 500 * time.Millisecond
	reconnects.Min, reconnects.Max = 20*time.Millisecond, 100*time.Millisecond
}
