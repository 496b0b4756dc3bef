package delivery

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// However many attempts fail, an event that is given up is logged, and each kind of line is counted
// by itself.
func TestWarningsHideNoErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, err := (&object.Parser{}).Parse([]byte(
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop"}}`))
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		log := &FailureLog{Logger: slog.New(slog.NewTextHandler(&text, nil))}
		fail := func(level slog.Level, times int) {
			for range times {
				d := informer.Entry{Event: event.Event{Object: o}}
				log.Failure(level, &informer.Delivery{Entry: d}, "failed",
					errors.New("refused"))
			}
		}
		fail(slog.LevelWarn, 100)
		fail(slog.LevelError, 15)
		time.Sleep(time.Second)
		fail(slog.LevelWarn, 2)
		fail(slog.LevelError, 2)
		for what, want := range map[string]int{"level=WARN": Burst + 1, "level=ERROR": Burst + 1,
			"suppressed=90": 1, "suppressed=5": 1} {
			if n := strings.Count(text.String(), what); n != want {
				t.Errorf("%d lines with %s, want %d:\n%s", n, what, want, &text)
			}
		}
	})
}

// What is shortened is short enough when it is quoted, whatever is in it, and begins as it did.
func TestShortened(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringN(500, 3000, -1),
			rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 3000), func(b []byte) string {
				return string(b)
			})).Draw(t, "text")
		got := Shortened(text)
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("m", "error", got)
		_, quoted, _ := strings.Cut(strings.TrimSuffix(log.String(), "\n"), " error=")
		if len(quoted) > MaxReason+2 {
			t.Fatalf("%d bytes: %s", len(quoted), quoted)
		}
		if begin, cut := strings.CutSuffix(got, "…"); got != text &&
			(!cut || !strings.HasPrefix(text, begin)) {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

// An event that is given up is logged with its dead letter, or with why there is none.
func TestGivenUp(t *testing.T) {
	var text bytes.Buffer
	log := &FailureLog{Logger: slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))}
	for name, want := range map[string]string{
		"web":         "object=shop/web",
		"ü\n\u202e=x": `object="\"shop/\\u00fc\\n\\u202e=x\""`,
	} {
		o, err := (&object.Parser{}).Parse(fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod",`+
			`"metadata":{"name":%q,"namespace":"shop","resourceVersion":"7"}}`, name))
		if err != nil {
			t.Fatal(err)
		}
		d := &informer.Delivery{Entry: informer.Entry{Event: event.Event{Op: event.Add, Object: o},
			Attempt: 3}}
		for letter, lines := range map[string]string{
			"18ad2c41f2b80400": `level=ERROR msg="event given up" op=add ` + want +
				` output=hook resourceVersion=7 reason=refused attempts=3 letter=18ad2c41f2b80400`,
			"": `level=ERROR msg="event given up, and its dead letter is dropped: there is no room ` +
				`for it" op=add ` + want +
				` output=hook resourceVersion=7 reason=refused attempts=3`,
		} {
			text.Reset()
			log.GivenUp(d, errors.New("no"), "refused", letter, slog.String("output", "hook"))
			if got, want := text.String(), lines+" error=no\n"; got != want {
				t.Errorf("got  %swant %s", got, want)
			}
		}
	}
}
