package checkpoint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/informerd/informerd/bench/objects"
	"github.com/informerd/informerd/internal/checkpoint"
	"github.com/informerd/informerd/pkg/informer/object"
)

// pods is how many pods there are in a benchmark.
const pods = 10_000

// corpus is the pods, as a LIST has them and as a store has them.
type corpus struct {
	texts   [][]byte
	objects []*object.Object
	next    []*object.Object // their next states
}

func newCorpus(b *testing.B) (c corpus) {
	b.Helper()
	var last *object.Object
	p := object.Parser{APIVersion: "v1", Kind: "Pod"}
	next := p
	next.Last = func(object.Key) *object.Object { return last }
	for seed := range uint64(pods) {
		text := objects.Pod(seed, objects.Medium)
		c.texts = append(c.texts, text)
		o, _, err := p.ParseItem(text)
		if err != nil {
			b.Fatal(err)
		}
		last = o
		c.objects = append(c.objects, o)
		o, _, err = next.ParseItem(objects.PodAt(seed, objects.Medium, objects.Revision{Number: 1}))
		if err != nil {
			b.Fatal(err)
		}
		c.next = append(c.next, o)
	}
	return c
}

// perObject reports the time of each object. b.N is how often all were read.
func perObject(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/object")
}

// BenchmarkRead reads all pods.
func BenchmarkRead(b *testing.B) {
	c := newCorpus(b)
	list := func(texts [][]byte) func(b *testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p := object.Parser{APIVersion: "v1", Kind: "Pod"}
				for _, text := range texts {
					if _, _, err := p.ParseItem(text); err != nil {
						b.Fatal(err)
					}
				}
			}
			perObject(b, pods)
		}
	}
	var stored [][]byte
	for _, o := range c.objects {
		stored = append(stored, []byte(o.JSON()))
	}
	b.Run("list", list(c.texts))
	b.Run("without managedFields", list(stored))
	b.Run("decoder", func(b *testing.B) {
		var e object.Encoder
		var encoded []byte
		for _, o := range c.objects {
			encoded = e.Append(encoded, o)
		}
		b.ReportAllocs()
		for b.Loop() {
			var d object.Decoder
			for rest := encoded; len(rest) > 0; {
				var err error
				if _, rest, err = d.Next(rest); err != nil {
					b.Fatal(err)
				}
			}
		}
		perObject(b, pods)
		b.ReportMetric(float64(len(encoded))/pods, "B/object")
	})
}

// BenchmarkRestore copies what is stored of each object: the least that loading takes.
func BenchmarkRestore(b *testing.B) {
	c := newCorpus(b)
	var e object.Encoder
	var encoded []string
	for _, o := range c.objects {
		encoded = append(encoded, string(e.Append(nil, o)))
	}
	b.ReportAllocs()
	kept := make([]*restored, pods)
	for b.Loop() {
		for i, text := range encoded {
			kept[i] = &restored{text: strings.Clone(text)}
		}
	}
	perObject(b, pods)
}

// restored has the size of an object.
type restored struct {
	text string
	_    [112]byte
}

// BenchmarkEncode encodes the next states of pods, each in a cut of 100.
func BenchmarkEncode(b *testing.B) {
	c := newCorpus(b)
	var e object.Encoder
	var buf []byte
	for _, o := range c.objects {
		buf = e.Append(buf[:0], o)
	}
	i, total := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		if i%100 == 0 {
			buf = buf[:0]
		}
		had := len(buf)
		buf = e.Append(buf, c.next[i%pods])
		total += len(buf) - had
		i++
	}
	b.ReportMetric(float64(total)/float64(i), "B/object")
}

// BenchmarkStart writes a snapshot of all pods and loads it: objects, files and all.
func BenchmarkStart(b *testing.B) {
	c := newCorpus(b)
	dir := b.TempDir()
	open := func(f func(block []byte) error) *checkpoint.Store {
		s, err := checkpoint.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Load(f); err != nil {
			b.Fatal(err)
		}
		return s
	}
	s := open(func([]byte) error { return nil })
	sn, err := s.Rotate()
	if err != nil {
		b.Fatal(err)
	}
	var e object.Encoder
	var block []byte
	for i, o := range c.objects {
		if block = e.Append(block, o); len(block) > 1<<20 || i == len(c.objects)-1 {
			if err := sn.Write(block); err != nil {
				b.Fatal(err)
			}
			block = block[:0]
		}
	}
	if err := sn.Finish(); err != nil {
		b.Fatal(err)
	}
	size, err := s.Size()
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var d object.Decoder
		n := 0
		s := open(func(block []byte) error {
			for len(block) > 0 {
				var err error
				if _, block, err = d.Next(block); err != nil {
					return err
				}
				n++
			}
			return nil
		})
		if n != pods {
			b.Fatal(n)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
	perObject(b, pods)
	b.ReportMetric(float64(size)/pods, "B/object")
}

// BenchmarkDense decodes objects that resemble no other and were condensed, compared with parsing
// them.
func BenchmarkDense(b *testing.B) {
	const count = 500
	var p object.Parser
	var all []*object.Object
	var texts [][]byte
	for seed := range uint64(count) {
		plain := object.Parser{Plain: true}
		o, err := plain.Parse(objects.Pod(seed, objects.Medium))
		if err != nil {
			b.Fatal(err)
		}
		all, texts = append(all, o), append(texts, []byte(o.JSON()))
	}
	var c object.Condenser
	dense := make([]*object.Object, count)
	for range 9 { // passes, which is as many as it waits at most
		c.BeginPass()
		for i, o := range all {
			if dense[i] == nil && c.Cold(o) {
				dense[i] = c.Condense(o, all[i:])
			}
		}
		c.EndPass()
	}
	var e object.Encoder
	var encoded []byte
	for i, o := range dense {
		if o == nil {
			b.Fatal(fmt.Sprint("not dense: ", all[i].Key()))
		}
		encoded = e.Append(encoded, o)
	}
	b.Run("decoder", func(b *testing.B) {
		for b.Loop() {
			var d object.Decoder
			for rest := encoded; len(rest) > 0; {
				var err error
				if _, rest, err = d.Next(rest); err != nil {
					b.Fatal(err)
				}
			}
		}
		perObject(b, count)
		b.ReportMetric(float64(len(encoded))/count, "B/object")
	})
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			p = object.Parser{Plain: true}
			for _, text := range texts {
				if _, err := p.Parse(text); err != nil {
					b.Fatal(err)
				}
			}
		}
		perObject(b, count)
	})
}
