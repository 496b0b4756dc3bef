package file_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/file"
)

// Lines go out together, as many as a pipe takes as a whole, and none is left behind.
func TestLinesTogether(t *testing.T) {
	var calls []string
	s := file.NewStdout(writerFunc(func(p []byte) (int, error) {
		calls = append(calls, string(p))
		return len(p), nil
	}))
	defer closeSink(t, s)
	for _, tt := range []struct {
		paddings []int
		lines    []int // of each call
	}{
		{[]int{100}, []int{1}}, {[]int{0}, []int{1}}, // shorter than the one before
		{[]int{1000, 1000, 1000}, []int{2, 1}},
		{[]int{10_000, 10, 10, 10_000, 10}, []int{1, 2, 1, 1}},
		{[]int{5000, 5000}, []int{1, 1}},
		{[]int{10, 20, 30, 40, 50, 60, 70, 80}, []int{8}},
	} {
		var all []sink.Message
		var want []string
		for i, n := range tt.paddings {
			all = append(all, message(t, fmt.Sprint("web-", i), strings.Repeat("x", n)))
		}
		rest := all
		for _, n := range tt.lines {
			var text []byte
			for _, m := range rest[:n] {
				text = append(cloudevent.Append(text, m), '\n')
			}
			want, rest = append(want, string(text)), rest[n:]
		}
		calls = nil
		if errs := s.Write(t.Context(), all); errs != nil {
			t.Fatal(errs)
		}
		if !slices.Equal(calls, want) {
			t.Errorf("%v:\n got %.300q\nwant %.300q", tt.paddings, calls, want)
		}
	}
}

// What the results say is so, however much a stream takes before it fails.
func TestResultsOfABadStream(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		var out bytes.Buffer
		s := file.NewStdout(writerFunc(func(p []byte) (int, error) {
			n := len(p)
			if r.IntN(2) == 0 {
				n = r.IntN(len(p) + 1)
			}
			out.Write(p[:n])
			if n < len(p) && r.IntN(2) == 0 {
				return n, syscall.ENOSPC
			}
			return n, nil
		}))
		want := map[string]int{}
		for i := range 5 {
			var all []sink.Message
			for k := range 1 + r.IntN(8) {
				all = append(all, message(t, fmt.Sprintf("web-%d-%d", i, k),
					strings.Repeat("x", r.IntN(3)*r.IntN(3000))))
			}
			errs := s.Write(t.Context(), all)
			for k, m := range all {
				if errs == nil || errs[k] == nil {
					want[string(cloudevent.Append(nil, m))]++
				}
			}
		}
		closeSink(t, s)
		for line := range strings.Lines(out.String()) {
			if text, whole := strings.CutSuffix(line, "\n"); whole && json.Valid([]byte(text)) {
				// A line that lacks only its line break is whole for a reader, and has failed.
				if want[text]--; want[text] < -1 {
					t.Errorf("seed %d: %d more than were reported: %.100s", seed, -want[text], text)
				}
			}
		}
		for text, n := range want {
			if n > 0 {
				t.Errorf("seed %d: it was reported as written: %.100s", seed, text)
			}
		}
	}
}
