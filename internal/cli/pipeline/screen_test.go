package pipeline

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/status"
	"github.com/informerd/informerd/internal/status/statustest"
)

func newScreen() *Screen {
	before, now := statustest.Some(1), statustest.Some(2)
	return &Screen{View: View{Sort: SortName, Color: true}, Status: now,
		Rates: status.RatesOf(before, now)}
}

func TestKeysOfTop(t *testing.T) {
	for keys, want := range map[string]struct {
		contains, lacks string
		end             bool
	}{
		"":            {"order: name", "_", false},
		"q":           {"", "", true},
		"\x03":        {"", "", true},
		"ss":          {"order: waiting", "", false},
		"sssss":       {"order: name", "", false},
		"r":           {"order: name, reversed", "", false},
		"/nod":        {"filter: nod_", "judged", false},
		"/nod\r":      {"filter: nod ", "judged", false},
		"/nodx\x7f\r": {"filter: nod ", "judged", false},
		"/q":          {"filter: q_", "hooks", false},
		"/nod\x1b":    {"judged", "filter:", false},
		"\r":          {"hooks, of pods", "LISTENER", false},
		"j\r":         {"judged, of pods", "LISTENER", false},
		"jjjj\r":      {"nodes, of nodes", "LISTENER", false},
		"jjk\r":       {"judged, of pods", "LISTENER", false},
		"\r\x1b":      {"LISTENER", "of pods", false},
		"/zzz\r\r":    {"there is no listener", "", false},
	} {
		s := newScreen()
		end := false
		for _, k := range keys {
			if k == 0x1b {
				k = rune(keyEscape)
			}
			end = s.Press(Key(k))
		}
		text := strings.Join(s.Lines(200, 40), "\n")
		if end != want.end || !strings.Contains(text, want.contains) ||
			want.lacks != "" && strings.Contains(text, want.lacks) {
			t.Errorf("%q: %t\n%s", keys, end, text)
		}
	}
}

// Whatever is pressed, and however small the terminal is, what is shown fits into it, and nothing
// of a name or an error is a command for it.
func TestTopFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newScreen()
		for i := range rapid.IntRange(0, 100).Draw(t, "listeners") {
			s.Status.Listeners = append(s.Status.Listeners, status.Listener{Name: fmt.Sprint("l", i),
				State: rapid.SampledFrom([]string{status.Paused, status.Starting, "\x1b]0;x\a"}).Draw(t,
					"state"), Reasons: []string{"\x1b[2J\r\n" + strings.Repeat("日", 50)}})
		}
		s.View.Color = rapid.Bool().Draw(t, "color")
		keys := rapid.SliceOfN(rapid.SampledFrom([]Key{keyUp, keyDown, keyPageUp, keyPageDown,
			keyHome, keyEnd, keyEscape, keyEnter, keyBackspace, 's', 'r', '/', 'l', '1', 'é'}), 0,
			30).Draw(t, "keys")
		for _, k := range keys {
			width, height := rapid.IntRange(0, 120).Draw(t, "width"), rapid.IntRange(0,
				60).Draw(t, "height")
			lines := s.Lines(width, height)
			if len(lines) > max(height, 1) {
				t.Fatalf("%d lines in %d", len(lines), height)
			}
			for _, line := range lines {
				bare := line
				for _, color := range []string{"0", "7", "31", "32", "33", "39", "0;7"} {
					bare = strings.ReplaceAll(bare, "\x1b["+color+"m", "")
				}
				if utf8.RuneCountInString(bare) > width || strings.ContainsAny(bare, "\x1b\r\n\a") {
					t.Fatalf("%q in %d", line, width)
				}
			}
			s.Press(k)
		}
	})
}

func TestTheSelectedListenerStaysInSight(t *testing.T) {
	s := newScreen()
	for i := range 100 {
		s.Status.Listeners = append(s.Status.Listeners, status.Listener{Name: fmt.Sprint("m", 100+i),
			State: status.Running})
	}
	for i := range 150 {
		s.View.Color = i%2 == 0
		text := strings.Join(s.Lines(100, 20), "\n")
		if !strings.Contains(text, "\x1b[7m"+s.current()) {
			t.Fatalf("after %d keys %s is not in sight:\n%s", i, s.current(), text)
		}
		s.Press(keyDown)
	}
}

func TestReadKeys(t *testing.T) {
	keys := make(chan Key, 100)
	ReadKeys(context.Background(), strings.NewReader("q\x1b[A\x1bOB\x1b[5~\x1b[99~é\n\b\x1b"), keys)
	close(keys)
	var got []Key
	for k := range keys {
		got = append(got, k)
	}
	want := []Key{'q', keyUp, keyDown, keyPageUp, 'é', keyEnter, keyBackspace, keyEscape}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTextsForPeople(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB",
		150 << 10: "150 KiB", 3 << 40: "3.0 TiB", 9000 << 40: "9000 TiB"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	for s, want := range map[float64]string{0: "-", -1: "-", 0.0001: "1ms", 0.25: "250ms", 90: "90s",
		7200: "120m"} {
		if got := ageText(s); got != want {
			t.Errorf("%v: %s, want %s", s, got, want)
		}
	}
	for r, want := range map[float64]string{0: "0", 0.04: "0", 4: "4", 1.25: "1.2", 12.6: "13"} {
		if got := perSecond(r); got != want {
			t.Errorf("%v: %s, want %s", r, got, want)
		}
	}
}
