package once

import "testing"

func TestSummary(t *testing.T) {
	for want, s := range map[string]Summary{
		"1 listener, 0 events, 0 messages taken":                   {Listeners: 1},
		"2 listeners, 1 event, 3 messages taken, 1 open violation": {Listeners: 2, Events: 1, Messages: 3, Violations: 1},
		"0 listeners, 2 events, 1 message taken, 2 dead letters, 4 unfinished": {Events: 2, Messages: 1,
			DeadLetters: 2, Unfinished: 4},
	} {
		if got := s.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
