package packing

import (
	"testing"

	"github.com/informerd/informerd/pkg/informer/object"
)

// experienced returns a parser that has read one object of each workload, as a parser has after the
// first moments of a list.
func experienced(tb testing.TB, c corpus) *object.Parser {
	p := &object.Parser{}
	for _, base := range c.bases {
		if _, err := p.Parse(base); err != nil {
			tb.Fatal(err)
		}
	}
	return p
}

func packedObjects(tb testing.TB, c corpus) []*object.Object {
	p := experienced(tb, c)
	all := make([]*object.Object, len(c.texts))
	for i, text := range c.texts {
		o, _, err := p.ParseItem(text)
		if err != nil {
			tb.Fatal(err)
		}
		all[i] = o
	}
	return all
}

func TestInformerdGivesTheTextsBack(t *testing.T) {
	for _, tc := range cases {
		c := tc.corpus(testPods)
		for i, o := range packedObjects(t, c) {
			if o.JSON() != string(c.texts[i]) || o.Plain().JSON() != string(c.texts[i]) {
				t.Fatalf("%s: text %d became\n%s", tc.name, i, o.JSON())
			}
		}
	}
}

// BenchmarkInformerd is informerd's own way. It packs while it checks a text and finds the header,
// so its time to pack covers all three; the size is that of the object with its header.
func BenchmarkInformerd(b *testing.B) {
	for _, tc := range cases {
		c := tc.corpus(benchPods)
		b.Run("pack/"+tc.name, func(b *testing.B) {
			p, i, total := experienced(b, c), 0, 0
			for _, o := range packedObjects(b, c) {
				total += o.Memory()
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := p.ParseItem(c.texts[i]); err != nil {
					b.Fatal(err)
				}
				i = (i + 1) % len(c.texts)
			}
			b.ReportMetric(float64(total)/float64(len(c.texts)), "B/object")
		})
		b.Run("unpack/"+tc.name, func(b *testing.B) {
			all, i := packedObjects(b, c), 0
			b.ReportAllocs()
			for b.Loop() {
				_ = all[i].Plain()
				i = (i + 1) % len(all)
			}
		})
		b.Run("reused/"+tc.name, func(b *testing.B) {
			all, i := packedObjects(b, c), 0
			var s object.Scratch
			b.ReportAllocs()
			for b.Loop() {
				s.Set(all[i])
				if !s.Lookup(name).Exists() {
					b.Fatal("no name")
				}
				i = (i + 1) % len(all)
			}
		})
	}
}

var name = object.MustCompilePath("metadata.name") // read from the whole text
