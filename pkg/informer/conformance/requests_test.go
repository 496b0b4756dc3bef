package conformance

import (
	"slices"
	"strings"
	"testing"
)

// three objects make a list of two pages.
var three = []change{{verb: put, name: "a"}, {verb: put, name: "b"}, {verb: put, name: "c"}}

// noStream is how servers that do not stream lists answer.
const noStream = `streamed list at ""`

// TestRequests: the two ask a server for the same, in the same order.
func TestRequests(t *testing.T) {
	for name, c := range map[string]struct {
		script script
		want   []string
	}{
		"a streamed list is the beginning of the watch": {
			script{streams: true, steps: []step{{changes: three}}}, []string{`streamed list at ""`},
		},
		"a list in pages": {
			script{steps: []step{{changes: three}}}, []string{noStream, `list at "0" in pages`,
				"page in pages", `watch at "103"`},
		},
		"a watch that ends goes on": {
			script{steps: []step{{changes: three}, {
				changes: three, running: play{end: endClean, after: 2}}}},
			[]string{noStream, `list at "0" in pages`, "page in pages", `watch at "103"`,
				`watch at "105"`},
		},
		"a bookmark counts": {
			script{streams: true, steps: []step{{}, {
				changes: []change{{verb: put, name: "a", quiet: true}},
				running: play{bookmark: true, end: endClean, after: 1}}}},
			[]string{`streamed list at ""`, `watch at "101"`},
		},
		"a new list is not older than what was seen": {
			script{streams: true, steps: []step{{}, {
				changes: three, running: play{end: endGone, after: 2}}}},
			[]string{`streamed list at ""`, `streamed list at "102"`},
		},
		"a version that has expired is given up": {
			script{streams: true, steps: []step{{changes: three}, {
				running: play{end: endGone}, snapshots: []answer{{refusal: expired}}}}},
			[]string{`streamed list at ""`, `streamed list at "103"`, `streamed list at ""`},
		},
		"as is one that is gone": {
			script{steps: []step{{snapshots: []answer{{refusal: gone}}}}},
			[]string{noStream, `list at "0" in pages`, `list at "" in pages`, `watch at "100"`},
		},
		"changes and bookmarks may be mixed into a streamed list": {
			script{streams: true, steps: []step{{changes: three, snapshots: []answer{{
				late: []change{{verb: remove, name: "a"}, {verb: put, name: "b"}, {
					verb: put, name: "d"}}, play: play{bookmark: true},
			}}}}},
			[]string{`streamed list at ""`},
		},
		"a page that has expired is a list without pages": {
			script{steps: []step{{changes: three, pages: []answer{{refusal: expired}}}}},
			[]string{noStream, `list at "0" in pages`, "page in pages", `rest at "0"`,
				`watch at "103"`},
		},
		"a busy watch is asked for again": {
			script{steps: []step{{}, {
				running: play{end: endBusy}, refuse: 1, watches: []answer{{refusal: busy}}}}},
			[]string{noStream, `list at "0" in pages`, `watch at "100"`, `watch at "100"`,
				`watch at "100"`},
		},
	} {
		t.Run(name, func(t *testing.T) { checkRequests(t, c.script, c.want, c.want) })
	}
}

// TestRequestsThatDiffer: where the two do not ask for the same, both end with the same objects.
func TestRequestsThatDiffer(t *testing.T) {
	for name, c := range map[string]struct {
		script         script
		reference, own []string
	}{
		"a watch that is too short is a reason to list only to client-go": {
			script{steps: []step{{}, {
				running: play{end: endClean}, watches: []answer{{play: play{end: endClean}}}}}},
			[]string{noStream, `list at "0" in pages`, `watch at "100"`, `watch at "100"`,
				`streamed list at "100"`, `list at "100"`, `watch at "100"`},
			[]string{noStream, `list at "0" in pages`, `watch at "100"`, `watch at "100"`,
				`watch at "100"`},
		},
		"as is one that fails for now": {
			script{steps: []step{{}, {
				running: play{end: endClean}, watches: []answer{{refusal: broken}}}}},
			[]string{noStream, `list at "0" in pages`, `watch at "100"`, `watch at "100"`,
				`streamed list at "100"`, `list at "100"`, `watch at "100"`},
			[]string{noStream, `list at "0" in pages`, `watch at "100"`, `watch at "100"`,
				`watch at "100"`},
		},
		"a busy page is asked for again by client-go, the list by pkg/informer": {
			script{steps: []step{{changes: three, pages: []answer{{refusal: busyFor}}}}},
			[]string{noStream, `list at "0" in pages`, "page in pages", "page in pages",
				`watch at "103"`},
			[]string{noStream, `list at "0" in pages`, "page in pages", noStream,
				`list at "0" in pages`, "page in pages", `watch at "103"`},
		},
		"a list after one that has expired is in pages, as all at no version are": {
			script{steps: []step{{}, {
				running: play{end: endBroken}, snapshots: []answer{{refusal: tooLarge}}}}},
			[]string{noStream, `list at "0" in pages`, `watch at "100"`, `streamed list at "100"`,
				`list at "100"`, `list at ""`, `watch at "100"`},
			[]string{noStream, `list at "0" in pages`, `watch at "100"`, `streamed list at "100"`,
				`list at "100"`, `list at "" in pages`, `watch at "100"`},
		},
		"that a list at no version came in pages says nothing about the server's watch cache": {
			script{steps: []step{{changes: three, snapshots: []answer{{refusal: expired}}}, {
				running: play{end: endBroken}}}},
			[]string{noStream, `list at "0" in pages`, `list at "" in pages`, "page in pages",
				`watch at "103"`, `streamed list at "103"`, `list at "103" in pages`,
				`watch at "103"`},
			[]string{noStream, `list at "0" in pages`, `list at "" in pages`, "page in pages",
				`watch at "103"`, `streamed list at "103"`, `list at "103"`, `watch at "103"`},
		},
		"a streamed list that is not answered is asked for in pages": {
			script{streams: true, steps: []step{{snapshots: []answer{{refusal: noAnswer}}}}},
			[]string{noStream, `streamed list at ""`},
			[]string{noStream, `list at "0" in pages`, `watch at "100"`},
		},
		"a streamed list that is cut three times is asked for in pages": {
			script{streams: true, steps: []step{{changes: three, snapshots: []answer{
				{play: play{end: endClean, after: 1}}, {play: play{end: endClean, after: 1}}, {
					play: play{end: endClean, after: 1}},
			}}}},
			[]string{noStream, noStream, noStream, noStream},
			[]string{noStream, noStream, noStream, `list at "0" in pages`, "page in pages",
				`watch at "103"`},
		},
		"a streamed list without an end is asked for in pages, then and later": {
			script{streams: true, steps: []step{{snapshots: []answer{{noEnd: true}}}, {
				running: play{end: endBroken}}}},
			[]string{noStream, noStream, `list at "0" in pages`, `watch at "100"`,
				`streamed list at "100"`, `list at "100"`, `watch at "100"`},
			[]string{noStream, `list at "0" in pages`, `watch at "100"`, `list at "100"`,
				`watch at "100"`},
		},
	} {
		t.Run(name, func(t *testing.T) { checkRequests(t, c.script, c.reference, c.own) })
	}
}

func checkRequests(t *testing.T, s script, reference, own []string) {
	t.Helper()
	results, problem := runBoth(t, s)
	if problem != "" {
		t.Error(problem)
	}
	for i, want := range [][]string{reference, own} {
		if got := results[i].asked; !slices.Equal(got, want) {
			t.Errorf("%s\n got %s\nwant %s", sides[i].name, strings.Join(got, "\n     "),
				strings.Join(want, "\n     "))
		}
	}
}
