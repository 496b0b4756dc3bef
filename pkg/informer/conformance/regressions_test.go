package conformance

import "testing"

// regressions are scripts on which the two sides differed once.
var regressions = map[string]script{
	"a streamed list's watch that ends at once": {streams: true, steps: []step{{
		changes:   []change{{verb: put, name: "a"}},
		snapshots: []answer{{play: play{end: endClean, after: 2}}},
	}}},
	"a streamed list of the newest state that is refused as expired": {
		streams: true, steps: []step{{
			changes: []change{{verb: put, name: "a"}},
			snapshots: []answer{{refusal: expired}, {refusal: invalid}, {
				late: []change{{verb: put, name: "a"}}}},
		}}},
	"a watch that is not answered": {steps: []step{{
		changes: []change{{verb: put, name: "a"}},
	}, {
		changes: []change{{verb: put, name: "a"}, {
			verb: put, name: "a"}}, running: play{end: endClean},
		watches: []answer{{refusal: noAnswer}},
	}}},
	"a connection that breaks between a frame and its newline": {steps: []step{{
		changes: []change{{verb: put, name: "a"}},
	}, {
		changes: []change{{verb: put, name: "a"}, {verb: put, name: "a"}},
		running: play{end: endCut,
			bytes: len("11c\r\n") + len(thing{"a", "uid-1", 102}.text(false)) +
				len(`{"type":"MODIFIED","object":}`)},
		watches: []answer{{play: play{end: endClean, after: 9}}},
	}}},
	"a watch that ends at once after an object of another kind": {steps: []step{{}, {
		running: play{end: endClean},
		watches: []answer{{play: play{stranger: true, end: endClean, after: 1}}},
	}}},
	"the delete of an object that took a known one's name unseen": {steps: []step{{
		changes: []change{{verb: put, name: "a"}},
	}, {
		changes: []change{{verb: recreate, name: "a", quiet: true}, {verb: remove, name: "a"}},
	}}},
}

func TestRegressions(t *testing.T) {
	for name, s := range regressions {
		t.Run(name, func(t *testing.T) {
			results, problem := runBoth(t, s)
			if problem != "" {
				t.Errorf("%s\n%s\nrequests of client-go:\n%s\nrequests of informerd:\n%s", problem,
					s, logText(results[0]), logText(results[1]))
			}
		})
	}
}
