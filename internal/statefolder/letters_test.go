package statefolder

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/pkg/plugins"
)

// everything is a mirror that takes all that is written.
type everything struct{}

func (everything) Write(context.Context, string, map[string][]byte, []string) error { return nil }

// Who loses letters is told what to do about it, which depends on where others are kept.
func TestWhoLosesLettersIsToldWhy(t *testing.T) {
	const part, dir = "p", `hint="add state: {dir: FOLDER} to the configuration"`
	const large = `hint="replay or drop letters of more than 900 KiB before informerd ends"`
	const shared = "leaderElection: {namespace: ha, name: a}\nsharding: {shards: 2}\n" +
		`state: {dir: state, nats: {url: "nats://127.0.0.1:1", bucket: b}}` + "\n"
	for name, test := range map[string]struct {
		state  string
		object int // bytes
		want   []string
	}{
		"in memory": {"", 1, []string{
			`level=WARN msg="dead letters are kept in memory, and are lost when informerd ends" ` + dir,
			`level=WARN msg="dead letters are lost: they were kept in memory" letters=2 ` + dir}},
		"on disk":   {"state: {dir: state}\n", 1, nil},
		"in common": {shared, MaxSharedLetter, nil},
		"in common, too large": {shared,
			MaxSharedLetter + 1, []string{
				`level=WARN msg="dead letters that are too large for what replicas have in common are kept in memory, and are lost when informerd ends" ` + large,
				`level=WARN msg="dead letters are lost: they were too large for what replicas have in common" letters=2 ` + large}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			cfg, err := config.Parse(filepath.Join(folder, "c.yaml"), []byte(
				"apiVersion: informerd.dev/v1alpha1\nkind: Config\n"+test.state+
					"listeners: {a: {informer: {resource: pods}, outputs: [out]}}\noutputs: {out: {stdout: {}}}\n"))
			if err != nil {
				t.Fatal(err)
			}
			log := &strings.Builder{}
			logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{
				ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
					if a.Key == slog.TimeKey {
						return slog.Attr{}
					}
					return a
				}}))
			if err := Prepare(cfg, &plugins.HostConfig{}); err != nil {
				t.Fatal(err)
			}
			store, err := OpenLetters(cfg, true, func(l *deadletter.Letter) string {
				if len(l.Object) > MaxSharedLetter {
					return ""
				}
				return part
			}, everything{}, logger)
			if err != nil {
				t.Fatal(err)
			}
			if cfg.State.NATS != nil {
				if err := store.Load(part, func(func(string, []byte) bool) {}); err != nil {
					t.Fatal(err)
				}
			}
			for i := range 2 {
				if _, err := store.Put(t.Context(), deadletter.Letter{Listener: "a", Output: "out",
					Namespace: "shop", Name: fmt.Sprint("web-", i), Resource: "pods",
					Object: []byte(strings.Repeat("x", test.object))}); err != nil {
					t.Fatal(err)
				}
			}
			store.Unload(part)
			if err := CloseLetters(store, logger); err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSpace(log.String()); got != strings.Join(test.want, "\n") {
				t.Errorf("got  %s\nwant %s", got, strings.Join(test.want, "\n"))
			}
		})
	}
}
