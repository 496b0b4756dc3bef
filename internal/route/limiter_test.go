package route

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
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
				most := delivery.Burst + 1 +
					int(time.Since(begin).Seconds()*delivery.PerSecond)
				for level, least := range map[string]int{"level=WARN": 0, "level=ERROR": 1} {
					if n := strings.Count(text.String(), level); n < least || n > most {
						t.Errorf("%s, %s: %d lines with %s in %s", name, reasonName, n, level,
							time.Since(begin))
					}
				}
				const rest = 400 // time, level, message, object and numbers
				for _, log := range []string{text.String(), json.String()} {
					for line := range strings.Lines(log) {
						if len(line) > delivery.MaxReason+rest {
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
