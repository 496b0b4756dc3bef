package conformance

import "slices"

// fair reports whether both sides meet the same faults in a script, which is what lets them be
// compared. They ask for the same number of lists and watches, with exceptions, which
// TestRequestsThatDiffer shows:
//
//   - client-go's rest client repeats some requests by itself, where pkg/informer's reflector
//     begins again.
//   - client-go lists again after a watch that ends at once or fails for now, where pkg/informer
//     watches on. That shows only if something was never announced, or in the wrong order, if there
//     was more than one change, or if the list is not answered well.
//   - After some failures of a streamed list one side streams again and the other takes pages, and
//     then watches, also in later steps.
func (s script) fair() bool {
	streams, endless, quiet, forms := s.streams, false, false, false
	for i, st := range s.steps {
		if forms && len(st.pages)+len(st.watches)+len(st.snapshots) > 0 || endless && st.endless() {
			return false
		}
		// The first list has what was changed before, unless it is an old one.
		quiet = quiet || st.quiet() && (i > 0 || st.stale())
		switch st.streams {
		case streamsOn:
			if endless {
				return false // pkg/informer asks such a server for no stream again
			}
			streams = true
		case streamsOff:
			streams = false
		}
		if st.listsByReference(streams) &&
			(quiet || st.changesMuch() || st.failsLists() || streams && len(st.watches) > 1) {
			return false
		}
		if st.listsByBoth() {
			quiet = false
		}
		if !st.fair(streams, i == 0) {
			return false
		}
		endless = endless || st.endless() // if anybody lists
		forms = forms || streams && !st.oneForm()
	}
	return true
}

// endless: a streamed list had no end.
func (s step) endless() bool {
	return slices.ContainsFunc(s.snapshots, func(a answer) bool { return a.noEnd })
}

// quiet reports whether something is never announced. From then on only a list shows it, so the
// sides must list alike.
func (s step) quiet() bool {
	return slices.ContainsFunc(s.changes, func(c change) bool { return c.quiet || c.half })
}

// stale reports whether a list may be an old one.
func (s step) stale() bool {
	return slices.ContainsFunc(s.snapshots, func(a answer) bool { return a.stale > 0 })
}

// changesMuch reports whether a list may pass over states that a watch sends.
func (s step) changesMuch() bool {
	late := func(a answer) bool { return len(a.late) > 0 }
	return len(s.changes) > 0 || slices.ContainsFunc(s.watches, late)
}

// failsLists reports whether some list is not answered well, at once and with the newest state.
func (s step) failsLists() bool {
	return len(s.pages) > 0 || len(s.snapshots) > 1 || len(s.snapshots) == 1 &&
		len(s.snapshots[0].late) > 0
}

// listsByBoth reports whether both sides list, and each with success.
func (s step) listsByBoth() bool {
	switch s.running.end {
	case endGone, endBroken, endUnknown, endNoJSON:
		return len(s.pages) == 0 && len(s.snapshots) == 0
	}
	return false
}

// listsByReference reports whether client-go may list where pkg/informer watches on.
func (s step) listsByReference(streams bool) bool {
	cutShort := func(a answer) bool {
		switch a.play.end {
		case endClean, endCut, endHalf:
			return a.refusal == answered
		}
		return false
	}
	return slices.ContainsFunc(s.watches, func(a answer) bool {
		return a.refusal == broken || cutShort(a)
	}) ||
		streams && slices.ContainsFunc(s.snapshots, cutShort)
}

// repeated reports whether client-go's rest client repeats a request that is answered so.
func (a answer) repeated() bool { return a.refusal == busyFor || a.refusal == noAnswer }

func (s step) fair(streams, first bool) bool {
	last := len(s.watches) - 1
	for i, a := range s.watches {
		// A repeated watch counts as begun before the first try, and so cannot be too short,
		// whatever comes next.
		if a.repeated() && i < last {
			return false
		}
	}
	if slices.ContainsFunc(s.pages, answer.repeated) &&
		(len(s.pages) > 1 || len(s.snapshots) > 0 || len(s.pages[0].late) > 0) {
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
	// Where one side may stream and the other take pages, further pages and watches are answered
	// well, for only one side asks for them.
	return s.oneForm() || len(s.pages) == 0 && len(s.watches) == 0
}

// oneForm reports whether both sides stream, or both take pages.
func (s step) oneForm() bool {
	return len(s.snapshots) == 0 || len(s.snapshots) == 1 && !s.endless() &&
		s.snapshots[0].refusal != noAnswer
}
