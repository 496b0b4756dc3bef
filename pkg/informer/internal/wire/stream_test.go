package wire

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/informer/object"
)

// frames is a watch that sends the same frame n times, 64 KB at a time, and waits before and behind
// each. waits is called with the room that the read offers.
type frames struct {
	text  string
	n, at int
	waits func(room int)
}

func (f *frames) Read(p []byte) (int, error) {
	if f.at == 0 && f.waits != nil {
		f.waits(len(p))
	}
	if f.n == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 64<<10)], f.text[f.at:])
	if f.at += n; f.at == len(f.text) {
		f.at = 0
		f.n--
	}
	return n, nil
}

func largeFrame(size int) string {
	return `{"type":"MODIFIED","object":` + podText("big", "1", 1,
		`,"x":"`+strings.Repeat("0123456789", size/10)+`"`) + "}\n"
}

// A run of large values needs no buffer for each of them, and between two of them, where a watch
// may wait for long, the stream holds no more than a quiet one.
func TestARunOfLargeValuesUsesItsBufferAgain(t *testing.T) {
	const n, size = 40, 1 << 20
	f := &frames{text: largeFrame(size), n: n, waits: func(room int) {
		if room > minBuffer {
			t.Errorf("a stream that waits holds %d bytes", room)
		}
	}}
	s := &stream{r: f, lines: true}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		if err := s.value(object.ScanValue); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	// A buffer that grew for each would be four times the value. The race detector has pools forget
	// a quarter.
	if got := after.TotalAlloc - before.TotalAlloc; got > n*size*2 {
		t.Errorf("%d MB for %d values of 1 MB", got>>20, n)
	}
	if err := s.value(object.ScanValue); err != io.EOF {
		t.Error(err)
	}
}

// A large item of a list is read about once, however small the reads are that it comes with, if
// those before were as large.
func TestALargeItemIsReadAboutOnce(t *testing.T) {
	const n, size = 20, 1 << 20
	item := `{"x":"` + strings.Repeat("0123456789", size/10) + `"}`
	text := strings.Repeat(item, n)
	s := &stream{r: &slowReader{text: text, n: 64 << 10}}
	scanned := 0
	for range n {
		if err := s.value(func(text []byte) (int, error) {
			scanned += min(len(text), len(item))
			return object.ScanValue(text)
		}); err != nil {
			t.Fatal(err)
		}
	}
	if scanned > len(text)*5/4 {
		t.Errorf("%d bytes were scanned of %d", scanned, len(text))
	}
}

// A buffer that comes from another stream changes nothing, whatever was in it.
func TestSpareBuffersAreNotTrusted(t *testing.T) {
	for _, size := range []int{busyBuffer, 4 * busyBuffer} {
		old := stream{buf: bytes.Repeat([]byte("\n}"), size/2)}
		old.release()
		var got []string
		s := &stream{r: &slowReader{text: strings.Repeat(largeFrame(3*busyBuffer), 3), n: 10_000},
			lines: true}
		for range 3 {
			err := s.value(func(text []byte) (int, error) {
				w, end, err := (&object.Parser{}).ParseWatchEvent(text)
				if err == nil {
					got = append(got,
						fmt.Sprint(w.Type, " ", w.Object.Name(), " ", w.Object.Size()))
				}
				return end, err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if want := fmt.Sprint("MODIFIED big ",
			len(largeFrame(3*busyBuffer))-len(`{"type":"MODIFIED","object":}`)-1); got[0] != want ||
			got[1] != want || got[2] != want {
			t.Errorf("%q, want %s", got, want)
		}
	}
}

// BenchmarkLargeValues is what a watch event of 1 MB costs to cut out, and to parse.
func BenchmarkLargeValues(b *testing.B) {
	for work, parse := range map[string]func([]byte) (int, error){
		"cut": object.ScanValue,
		"parse": func() func([]byte) (int, error) {
			p := &object.Parser{}
			return func(text []byte) (int, error) {
				_, end, err := p.ParseWatchEvent(text)
				return end, err
			}
		}(),
	} {
		b.Run(work, func(b *testing.B) {
			s := &stream{r: &frames{text: largeFrame(1 << 20), n: 1 << 60}, lines: true}
			b.ReportAllocs()
			b.SetBytes(1 << 20)
			for b.Loop() {
				if err := s.value(parse); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
