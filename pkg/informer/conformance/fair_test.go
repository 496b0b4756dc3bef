package conformance

import "slices"

// fair tells whether both sides meet the same faults in a script, which is what lets them be compared. They ask for the
// same number of lists and watches, with exceptions, which TestRequestsThatDiffer shows:
//
//   - client-go's rest client repeats some requests by itself, where pkg/informer's reflector begins anew.
//   - After some failures of a streamed list one side streams again and the other takes pages, and then watches.
func (s script) fair() bool {
	streams, endless := s.streams, false
	for i, st := range s.steps {
		switch st.streams {
		case streamsOn:
			if endless {
				return false // pkg/informer asks such a server for no stream again
			}
			streams = true
		case streamsOff:
			streams = false
		}
		if !st.fair(streams, i == 0) {
			return false
		}
		if st.endless() {
			endless, streams = true, false
		}
	}
	return true
}

// endless: a streamed list had no end.
func (s step) endless() bool {
	return slices.ContainsFunc(s.snapshots, func(a answer) bool { return a.noEnd })
}

// repeated tells whether client-go's rest client repeats a request that is answered so.
func (a answer) repeated() bool { return a.refusal == busyFor || a.refusal == noAnswer }

func (s step) fair(streams, first bool) bool {
	last := len(s.watches) - 1
	for i, a := range s.watches {
		// A repeated watch counts as begun before the first try, and so cannot be too short, whatever comes next.
		if a.repeated() && i < last {
			return false
		}
	}
	if slices.ContainsFunc(s.pages, answer.repeated) && (len(s.pages) > 1 || len(s.snapshots) > 0 || len(s.pages[0].late) > 0) {
		return false // client-go repeats the page, pkg/informer the list
	}
	for i, a := range s.snapshots {
		if a.noEnd && !streams || streams && a.repeated() && i < len(s.snapshots)-1 {
			return false
		}
	}
	if !streams {
		return true
	}
	// Where one side may stream and the other take pages, further pages and watches are answered well, for only one side
	// asks for them.
	oneForm := len(s.snapshots) == 0 || len(s.snapshots) == 1 && !s.endless() && s.snapshots[0].refusal != noAnswer
	return oneForm || len(s.pages) == 0 && len(s.watches) == 0
}
