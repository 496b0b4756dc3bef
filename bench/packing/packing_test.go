package packing

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/informerd/informerd/bench/objects"
)

func TestRoundTrip(t *testing.T) {
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			eachContender(t, func(t *testing.T, c contender) {
				corpus := tc.corpus(testPods)
				packers := packersOf(t, c, corpus)
				if testing.Short() {
					corpus.texts = corpus.texts[:len(corpus.texts)/10]
				}
				for i, text := range corpus.texts {
					rooms := roomsFor(text)
					roundTrip(t, packers[i%len(packers)], text, rooms[i%len(rooms)])
				}
			})
		})
	}
}

// A packer also gets texts unlike those it was made of: other workloads, other kinds, and texts
// longer than any dictionary.
func TestRoundTripOfTextsUnlikeTheBase(t *testing.T) {
	pods := medium.corpus(testPods)
	base := pods.bases[0]
	long := `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"long"},"data":{"a":"` +
		strings.Repeat("0123456789abcdef\\n", 1<<16) + `"}}`
	texts := map[string]string{
		"the base itself":    string(base),
		"an empty object":    `{}`,
		"a small one":        `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}`,
		"another workload's": string(pods.texts[1]),
		"a small pod":        string(small.corpus(testPods).texts[0]),
		"a large pod":        string(large.corpus(testPods).texts[0]),
		"the base within a list": `{"kind":"PodList","apiVersion":"v1","items":[` + string(base) +
			`,` + string(base) + `]}`,
		"a megabyte":           long,
		"a megabyte and a pod": `[` + long + `,` + string(pods.texts[0]) + `]`,
	}
	eachContender(t, func(t *testing.T, c contender) {
		packers := packersOf(t, c, pods)
		for about, text := range texts {
			t.Run(about, func(t *testing.T) {
				for _, room := range roomsFor([]byte(text)) {
					roundTrip(t, packers[0], []byte(text), room)
				}
			})
		}
	})
}

// roomsFor returns capacities of scratch memory that are too small, just too small, just enough and
// larger.
func roomsFor(text []byte) []int {
	return []int{0, 1, 100, len(text) - 1, len(text), 2*len(text) + 1000}
}

// roundTrip packs and unpacks with room bytes of scratch memory, and overwrites all memory that is
// not the packer's.
func roundTrip(t *testing.T, p packer, text []byte, room int) {
	t.Helper()
	input, scratch := bytes.Clone(text), make([]byte, room)
	packed := exact(p.pack(scratch[:0], input))
	clear(input)
	clear(scratch)

	scratch = make([]byte, room)
	got, err := p.unpack(scratch[:0], packed)
	if err != nil || !bytes.Equal(got, text) {
		t.Fatalf("with %d bytes of scratch: %v, got\n%s\nwant\n%s", room, err, got, text)
	}
	clear(got)
	clear(scratch)
	if got, err := p.unpack(nil, packed); err != nil || !bytes.Equal(got, text) {
		t.Fatalf("after the unpacked text was overwritten: %v, got\n%s\nwant\n%s", err, got, text)
	}
}

// The bases and samples that a packer was made of may change: it has its own copies.
func TestPackersOwnWhatTheyAreMadeOf(t *testing.T) {
	eachContender(t, func(t *testing.T, c contender) {
		pods := medium.corpus(testPods)
		lent := corpus{texts: pods.texts, bases: cloned(pods.bases[:1]),
			samples: cloned(pods.samples)}
		p := packersOf(t, c, lent)[0]
		packed := exact(p.pack(nil, pods.texts[0]))
		for _, b := range append(lent.bases, lent.samples...) {
			clear(b)
		}
		if got, err := p.unpack(nil, packed); err != nil || !bytes.Equal(got, pods.texts[0]) {
			t.Errorf("unpacking: %v, got\n%s\nwant\n%s", err, got, pods.texts[0])
		}
		roundTrip(t, p, pods.texts[objects.Workloads], 0)
	})
}

func cloned(texts [][]byte) [][]byte {
	var own [][]byte
	for _, t := range texts {
		own = append(own, bytes.Clone(t))
	}
	return own
}

// The race detector watches this test.
func TestPackersCanBeShared(t *testing.T) {
	eachContender(t, func(t *testing.T, c contender) {
		pods := medium.corpus(testPods)
		p := packersOf(t, c, pods)[0]
		var wg sync.WaitGroup
		for worker := range 4 {
			wg.Go(func() {
				for i := range 20 {
					// Texts of the packer's workload and of others, in another order for each
					// goroutine.
					text := pods.texts[(worker+1)*i]
					if got, err := p.unpack(nil, p.pack(nil, text)); err != nil ||
						!bytes.Equal(got, text) {
						t.Errorf("text %d: %v, got\n%s\nwant\n%s", i, err, got, text)
						return
					}
				}
			})
		}
		wg.Wait()
	})
}

// A packer with a base must gain by it: the right base must be better than another workload's.
func TestBasesAreMadeUseOf(t *testing.T) {
	eachContender(t, func(t *testing.T, c contender) {
		if c.scope != workload {
			t.Skip("uses no base")
		}
		pods := medium.corpus(testPods)
		packers := packersOf(t, c, pods)
		own, others := 0, 0
		for i, p := range packers {
			text := pods.texts[i]
			own += len(p.pack(nil, text))
			others += len(packers[(i+1)%len(packers)].pack(nil, text))
		}
		if own >= others {
			t.Errorf("%d bytes with the workload's own base, %d with another's", own, others)
		}
	})
}

// packersOf returns the packers for a corpus: a single one, or one for each base in the order of
// the bases.
func packersOf(t testing.TB, c contender, corpus corpus) []packer {
	t.Helper()
	inputs := [][][]byte{corpus.samples}
	if c.scope == workload {
		inputs = nil
		for i := range corpus.bases {
			inputs = append(inputs, corpus.bases[i:i+1])
		}
	}
	var packers []packer
	for _, samples := range inputs {
		p, err := c.make(samples)
		if err != nil {
			t.Fatal(err)
		}
		packers = append(packers, p)
	}
	return packers
}

func eachContender(t *testing.T, test func(t *testing.T, c contender)) {
	for _, c := range contenders {
		t.Run(c.name, func(t *testing.T) {
			test(t, c)
		})
	}
}
