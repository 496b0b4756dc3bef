package packing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"github.com/informerd/informerd/bench/objects"
	"github.com/informerd/informerd/pkg/informer/object"
)

// corpus is the texts to store, and what packers may be made of.
type corpus struct {
	texts [][]byte
	// bases holds one text of each workload; text i is of workload i modulo their number.
	bases [][]byte
	// samples start with one text of each workload. Like the bases, they are not among the texts.
	samples [][]byte
}

// A benchmark packs benchPods texts of a case. Two of each workload are enough for a test, since
// the others differ from them in the same way.
const (
	benchPods = 2000
	testPods  = 2 * objects.Workloads
)

// testCase is one kind of texts.
type testCase struct {
	name string
	make func(count int) corpus
}

var (
	small = testCase{"2KB", func(count int) corpus {
		return podsOf(objects.Small, count, unchanged)
	}}
	medium = testCase{"10KB", func(count int) corpus {
		return podsOf(objects.Medium, count, unchanged)
	}}
	large = testCase{"50KB", func(count int) corpus {
		return podsOf(objects.Large, count, unchanged)
	}}
	ownIDs = testCase{"10KB-ids", func(count int) corpus {
		return podsOf(objects.Medium, count, withOwnIDs)
	}}
	update = testCase{"10KB-update", func(count int) corpus { return updated(ownIDs.make(count)) }}
	older  = testCase{"10KB-previous", func(int) corpus { return previous() }}

	cases = []testCase{small, medium, large, ownIDs, update, older}
)

// corpus makes the texts when they are first needed, because no run needs all of them. They must
// not be changed.
func (c testCase) corpus(count int) corpus {
	made, _ := corpora.LoadOrStore(fmt.Sprint(c.name, count), sync.OnceValue(func() corpus {
		return c.make(count)
	}))
	return made.(func() corpus)()
}

var corpora sync.Map

// samplesEach is the number of samples of a workload.
const samplesEach = 2

func podsOf(size, count int, change func(seed uint64, text []byte) []byte) corpus {
	pod := func(seed uint64) []byte { return change(seed, stored(objects.Pod(seed, size))) }
	var c corpus
	for seed := range uint64(count) {
		c.texts = append(c.texts, pod(seed))
	}
	// Seeds from here on are of pods that are not stored, starting with workload 0.
	const others = 1000 * objects.Workloads
	for seed := range uint64(objects.Workloads) {
		c.bases = append(c.bases, pod(others+seed))
	}
	for seed := range uint64(samplesEach * objects.Workloads) {
		c.samples = append(c.samples, pod(others+objects.Workloads+seed))
	}
	return c
}

func updated(c corpus) corpus {
	for i, text := range c.texts {
		c.texts[i] = restarted(text)
	}
	return c
}

// previous has one pod of each workload, with its own previous state as the base.
func previous() corpus {
	c := podsOf(objects.Medium, objects.Workloads, withOwnIDs)
	for i, text := range c.texts {
		c.bases[i] = bytes.Clone(text)
	}
	return updated(c)
}

// stored returns the pod's text as the cache gets it.
func stored(raw []byte) []byte {
	var parser object.Parser
	object, err := parser.Parse(raw)
	if err != nil {
		panic(err)
	}
	return []byte(object.JSON())
}

func unchanged(_ uint64, text []byte) []byte { return text }

// withOwnIDs adds unique container IDs and condition times to the pod.
func withOwnIDs(seed uint64, text []byte) []byte {
	r := rand.New(rand.NewPCG(seed, 3))
	for at := range valuesOf(text, `"containerID":"containerd://`) {
		fillHex(r, text[at:at+64])
	}
	for at := range valuesOf(text, `"lastTransitionTime":"`) {
		setSeconds(r, text[at:])
	}
	return text
}

// restarted returns the pod's text after a restart of its first container. In a pod without
// container statuses only the resourceVersion changes.
func restarted(text []byte) []byte {
	r := rand.New(rand.NewPCG(uint64(len(text)), 4))
	text = bytes.Clone(text)
	for at := range valuesOf(text, `"resourceVersion":"`) {
		copy(text[at:], fmt.Sprintf("%09d", 900_000_000+r.IntN(100_000_000)))
	}
	for at := range valuesOf(text,
		`"type":"Ready","observedGeneration":1,"status":"True","lastProbeTime":null,"lastTransitionTime":"`) {
		setSeconds(r, text[at:])
	}
	for at := range valuesOf(text, `"restartCount":`) {
		end := at + bytes.IndexByte(text[at:], ',')
		count, err := strconv.Atoi(string(text[at:end]))
		if err != nil {
			panic(err)
		}
		text = append(strconv.AppendInt(bytes.Clone(text[:at]), int64(count)+1, 10), text[end:]...)
		id := bytes.Index(text[at:], []byte("containerd://")) + len("containerd://")
		fillHex(r, text[at+id:at+id+64])
		break
	}
	return text
}

// valuesOf yields the positions after each occurrence of key in the text.
func valuesOf(text []byte, key string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for from := 0; ; {
			i := bytes.Index(text[from:], []byte(key))
			if i < 0 {
				return
			}
			from += i + len(key)
			if !yield(from) {
				return
			}
		}
	}
}

func fillHex(r *rand.Rand, digits []byte) {
	for i := range digits {
		digits[i] = "0123456789abcdef"[r.IntN(16)]
	}
}

// setSeconds changes the seconds of the RFC 3339 time at the start of text.
func setSeconds(r *rand.Rand, text []byte) {
	copy(text[len("2026-01-01T00:00:"):], fmt.Sprintf("%02d", r.IntN(60)))
}

func TestCorporaAreWhatTheySay(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c := c.corpus(testPods)
			seen := map[string]bool{}
			for _, text := range c.texts {
				seen[string(text)] = true
				if !json.Valid(text) || bytes.Contains(text, []byte("managedFields")) {
					t.Fatalf("not a pod as the cache gets it: %s", text)
				}
			}
			if len(seen) != len(c.texts) {
				t.Errorf("%d texts, but only %d different ones", len(c.texts), len(seen))
			}
			for _, text := range append(c.bases, c.samples...) {
				if seen[string(text)] {
					t.Errorf("a base or sample is also among the texts: %s", text)
				}
			}
			if len(c.bases) != objects.Workloads ||
				len(c.samples) != samplesEach*objects.Workloads {
				t.Errorf("%d bases, %d samples", len(c.bases), len(c.samples))
			}
		})
	}
}

func TestARestartChangesWhatItShould(t *testing.T) {
	before := withOwnIDs(7, stored(objects.Pod(7, objects.Medium)))
	after := restarted(before)
	for _, field := range []string{
		"metadata.resourceVersion", "status.conditions[2].lastTransitionTime",
		"status.containerStatuses[0].restartCount", "status.containerStatuses[0].containerID",
	} {
		path := object.MustCompilePath(field)
		was, is := path.In(object.TrustedValue(string(before))),
			path.In(object.TrustedValue(string(after)))
		if !is.Exists() || was.Kind() != is.Kind() || was.Raw() == is.Raw() {
			t.Errorf("%s was %s and is %s", field, was.Raw(), is.Raw())
		}
	}
	name := object.MustCompilePath("metadata.name")
	if was, is := name.In(object.TrustedValue(string(before))),
		name.In(object.TrustedValue(string(after))); was.Raw() != is.Raw() {
		t.Errorf("name was %s and is %s", was.Raw(), is.Raw())
	}
}
