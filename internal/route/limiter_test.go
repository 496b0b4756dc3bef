package route

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// refusing is a guest that refuses each event, with a reason.
type refusing struct {
	verdict plugins.Verdict
	reason  string
}

func (g refusing) Handle(context.Context, event.Event) (plugins.Result, error) {
	return plugins.Result{Verdict: g.verdict, Message: g.reason}, nil
}

func (g refusing) HandleBatch(ctx context.Context, events []event.Event) (results []plugins.Result,
	_ error) {
	for _, e := range events {
		result, _ := g.Handle(ctx, e)
		results = append(results, result)
	}
	return results, nil
}

func (g refusing) Close(context.Context) error { return nil }

// However many events fail, with whatever reasons, the log stays small: so many lines, and so many
// bytes each. Suppressed lines are counted.
func TestReasonsDoNotFloodTheLog(t *testing.T) {
	for name, verdict := range map[string]plugins.Verdict{"fail": plugins.Fail,
		"retry": plugins.Retry} {
		for reasonName, reason := range map[string]string{"zeros": strings.Repeat("\x00", 4096),
			"quotes": strings.Repeat(`"\`, 2000), "wide": strings.Repeat("\U0010ffff", 1000)} {
			synctest.Test(t, func(t *testing.T) {
				const events = 2000
				var all []event.Event
				for i := range events {
					all = append(all, add(fmt.Sprint("p", i)))
				}
				source, out := newScript(all...), &output{}
				var text, json bytes.Buffer
				r := source.route(t, &text, out)
				r.Log = slog.New(slog.NewMultiHandler(slog.NewTextHandler(&text, nil),
					slog.NewJSONHandler(&json, nil)))
				r.newGuest = func(context.Context) (guest, error) {
					return refusing{verdict, reason}, nil
				}
				r.batches = func() bool { return false }
				begin := time.Now()
				if err := r.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				lines := strings.Count(text.String(), "\n")
				if most := logBurst + 1 +
					int(time.Since(begin).Seconds()*logPerSecond); lines == 0 ||
					lines > most {
					t.Errorf("%s, %s: %d lines in %s", name, reasonName, lines, time.Since(begin))
				}
				const rest = 400 // time, level, message, object and numbers
				for _, log := range []string{text.String(), json.String()} {
					for line := range strings.Lines(log) {
						if len(line) > maxReason+rest {
							t.Fatalf("%s, %s: a line of %d bytes: %s", name, reasonName, len(line),
								line)
						}
					}
				}
				if s := r.Stats(); s.DeadLetters != events {
					t.Errorf("%+v", s)
				}
				if verdict == plugins.Retry && !strings.Contains(text.String(), "suppressed=") {
					t.Errorf("%s: it is not counted what was left out", name)
				}
			})
		}
	}
}

// What is shortened is short enough when it is quoted, whatever is in it, and begins as it did.
func TestShortened(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringN(500, 3000, -1),
			rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 3000), func(b []byte) string {
				return string(b)
			})).Draw(t, "text")
		got := shortened(text)
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("m", "error", got)
		_, quoted, _ := strings.Cut(strings.TrimSuffix(log.String(), "\n"), " error=")
		if len(quoted) > maxReason+2 {
			t.Fatalf("%d bytes: %s", len(quoted), quoted)
		}
		if begin, cut := strings.CutSuffix(got, "…"); got != text &&
			(!cut || !strings.HasPrefix(text, begin)) {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

// What handlers made and waits for a retry is bounded in all: beyond it the handler sees the event
// again, and nothing is lost.
func TestWhatWaitsForARetryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const events, size = 100, 1 << 20
		var all []event.Event
		for i := range events {
			all = append(all, add(fmt.Sprint("p", i)))
		}
		source, out := newScript(all...), &output{}
		until := time.Now().Add(5 * time.Second)
		var r *draft
		most, calls := int64(0), 0
		out.fail = func(int, sink.Message) error {
			if most = max(most, r.retained.bytes.Load()); time.Now().Before(until) {
				return errors.New("connection refused")
			}
			return nil
		}
		var log bytes.Buffer
		r = source.route(t, &log, out)
		r.Retry = Retry{Attempts: 10, MinBackoff: time.Second, MaxBackoff: time.Minute}
		data := `"` + strings.Repeat("x", size) + `"`
		r.newGuest = func(context.Context) (guest, error) { return emitting{data, &calls}, nil }
		r.batches = func() bool { return false }
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := r.Stats()
		if most > maxRetained || most < maxRetained/2 || r.retained.bytes.Load() != 0 {
			t.Errorf("%d bytes were kept, and %d are", most, r.retained.bytes.Load())
		}
		if s.Written != events || s.DeadLetters != 0 || s.Unkept == 0 ||
			calls != events+int(s.Unkept) {
			t.Errorf("%d calls, %+v", calls, s)
		}
	})
}

// emitting is a guest that makes an event of some size.
type emitting struct {
	data  string
	calls *int
}

func (g emitting) Handle(context.Context, event.Event) (plugins.Result, error) {
	*g.calls++
	return plugins.Result{Verdict: plugins.Done,
		Emitted: []plugins.Emission{{Kind: abi.EmitData, Data: []byte(g.data)}}}, nil
}

func (g emitting) HandleBatch(context.Context, []event.Event) ([]plugins.Result, error) {
	return nil, nil
}

func (g emitting) Close(context.Context) error { return nil }
