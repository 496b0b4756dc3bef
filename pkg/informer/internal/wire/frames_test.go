package wire

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/informerd/informerd/pkg/informer/object"
)

func TestStreamOfFrames(t *testing.T) {
	frames := `{"type":"ADDED","object":` + podText("a", "1", 1, "") + "}\n" +
		"{\n \"object\":" + podText("b", "2", 2, `,"x":"`+strings.Repeat("y", 100_000)+`"`) +
		",\n\"type\":\"MODIFIED\"}" +
		`{"type":"DELETED","object":` + podText("c", "3", 3, "") + "}"
	for how, r := range map[string]io.Reader{
		"at once":              strings.NewReader(frames),
		"in halves":            iotest.HalfReader(strings.NewReader(frames)),
		"with data at the end": iotest.DataErrReader(strings.NewReader(frames)),
		"slowly":               &slowReader{text: frames, n: 1400},
	} {
		t.Run(how, func(t *testing.T) {
			s, p := &stream{r: r}, &object.Parser{}
			for _, want := range []string{"ADDED a", "MODIFIED b", "DELETED c"} {
				var w object.WatchEvent
				err := s.value(func(text []byte) (end int, err error) {
					w, end, err = p.ParseWatchEvent(text)
					return end, err
				})
				if err != nil || w.Type+" "+w.Object.Name() != want {
					t.Fatalf("%+v, %v, want %s", w, err, want)
				}
			}
			if err := s.value(object.ScanValue); err != io.EOF {
				t.Errorf("at the end: %v", err)
			}
		})
	}
}

// slowReader returns n bytes at a time.
type slowReader struct {
	text string
	n    int
}

func (r *slowReader) Read(p []byte) (int, error) {
	if r.text == "" {
		return 0, io.EOF
	}
	n := copy(p, r.text[:min(r.n, len(r.text))])
	r.text = r.text[n:]
	return n, nil
}

func TestStreamGivesUpOnEndlessValues(t *testing.T) {
	s := &stream{r: io.MultiReader(strings.NewReader(`"`), endless{})}
	if err := s.value(object.ScanValue); !errors.Is(err, errValueTooLong) {
		t.Error(err)
	}
}

// endless is a string without an end.
type endless struct{}

// Item 28: the limit for one frame is far above the 16 MiB that client-go takes.
func TestAFrameOf17MiBIsTaken(t *testing.T) {
	big := `{"type":"ADDED","object":` + podText("big", "1", 1,
		`,"x":"`+strings.Repeat("y", 17<<20)+`"`) + "}\n"
	s, p := &stream{r: strings.NewReader(big)}, &object.Parser{}
	var w object.WatchEvent
	err := s.value(func(text []byte) (end int, err error) {
		w, end, err = p.ParseWatchEvent(text)
		return end, err
	})
	if err != nil || w.Object.Size() < 17<<20 {
		t.Error(err)
	}
}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
