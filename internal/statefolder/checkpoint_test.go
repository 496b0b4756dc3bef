package statefolder

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

var quiet = slog.New(slog.DiscardHandler)

// parse returns a configuration whose listeners with a checkpoint are named.
func parse(t *testing.T, state string, listeners ...string) *config.Config {
	t.Helper()
	text := "apiVersion: informerd.dev/v1alpha1\nkind: Config\noutputs: {out: {stdout: {}}}\n"
	if state != "" {
		text += "state: {dir: " + state + "}\n"
	}
	text += "listeners:\n  plain: {informer: {resource: pods}, outputs: [out]}\n"
	for _, name := range listeners {
		text += "  " + name + ": {informer: {resource: pods}, outputs: [out], checkpoint: true}\n"
	}
	cfg, err := config.Parse("c.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func mustOpen(t *testing.T, cfg *config.Config, forget bool, log *slog.Logger) *keeper.Keeper {
	t.Helper()
	k, err := OpenKeeper(cfg, "", forget, log)
	if err != nil || k == nil {
		t.Fatal(k, err)
	}
	t.Cleanup(func() { _ = k.Close() })
	return k
}

// waiting is a listener with one event that was not sent.
type waiting string

func (l waiting) Name() string         { return string(l) }
func (l waiting) Select() string       { return "" }
func (l waiting) Cut(to record.Writer) { l.Whole(to) }

// Whole has a route with one output, as packages route and delivery write it.
func (l waiting) Whole(to record.Writer) {
	o, err := (&object.Parser{}).Parse([]byte(
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","uid":"u"}}`))
	if err != nil {
		panic(err)
	}
	added := []any{event.Add, false, false, 0, false, 1, 0}
	to.Put("outputs", event.Key{Name: "1"}, []any{"out", false}, nil)
	to.Put("outbox 1", event.Key{Name: "1"},
		[]any{true, false, time.Unix(1, 0), 0, added, nil, nil, nil}, []*object.Object{o})
}

// nothing is what there is of informers that have nothing.
type nothing struct{}

func (nothing) Cut() []informer.InformerCut                       { return nil }
func (nothing) Kept([]string) bool                                { return false }
func (nothing) CutAndWhole() (last, whole []informer.InformerCut) { return nil, nil }

// keep makes the checkpoint of some listeners.
func keep(t *testing.T, k *keeper.Keeper, listeners ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // there is one cut
	err := k.Run(ctx, keeper.Source{Informers: nothing{}, Listeners: func() (all []keeper.Cutter) {
		for _, name := range listeners {
			all = append(all, waiting(name))
		}
		return all
	}, Flush: func() error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestThereIsAKeeperIfAListenerAsksForOne(t *testing.T) {
	dir := t.TempDir()
	for what, cfg := range map[string]*config.Config{"no folder": parse(t, ""),
		"no listener": parse(t, dir)} {
		if k, err := OpenKeeper(cfg, "", true, quiet); k != nil || err != nil {
			t.Errorf("%s: %v, %v", what, k, err)
		}
		if err := RemoveCheckpoint(cfg, ""); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("there is %v, %v", files, err)
	}
	mustOpen(t, parse(t, dir, "a"), false, quiet)
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("there is %v, %v", files, err)
	}
}

// What a listener had is forgotten if it has no checkpoint any more, and so is everything if that is
// asked for. What one had that is not there any more is to be ended.
func TestWhatIsForgotten(t *testing.T) {
	dir := t.TempDir()
	keep(t, mustOpen(t, parse(t, dir, "a", "b"), false, quiet), "a", "plain", "gone")
	var log bytes.Buffer
	cfg := parse(t, dir, "a", "b")
	k := mustOpen(t, cfg, false, slog.New(slog.NewTextHandler(&log, nil)))
	if k.Listener("a") == nil || k.Listener("plain") != nil || k.Listener("gone") == nil {
		t.Errorf("there is %q", k.Listeners())
	}
	if text := log.String(); strings.Count(text, "level=WARN") != 1 ||
		!strings.Contains(text, "listener=plain unsent=1") {
		t.Errorf("logged %s", text)
	}
	keep(t, k, "a")
	k = mustOpen(t, cfg, true, quiet)
	if all := k.Listeners(); len(all) > 0 {
		t.Errorf("there is %q", all)
	}
	keep(t, k, "b")
	if err := RemoveCheckpoint(parse(t, dir), ""); err != nil {
		t.Error(err)
	}
	if all := mustOpen(t, cfg, false, quiet).Listeners(); len(all) > 0 {
		t.Errorf("there is %q", all)
	}
}

// The errors of a checkpoint name state.dir, and say what to do.
func TestErrorsOfACheckpoint(t *testing.T) {
	dir := t.TempDir()
	cfg := parse(t, dir, "a")
	expect := func(what string, forget bool, want ...string) {
		t.Helper()
		k, err := OpenKeeper(cfg, "", forget, quiet)
		if err == nil {
			t.Fatalf("%s: %v", what, k.Close())
		}
		for _, want := range append(want, "c.yaml:4:14: state.dir: ") {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q in it", what, err, want)
			}
		}
	}
	k := mustOpen(t, cfg, false, quiet)
	expect("in use", false, "another process uses this checkpoint")
	expect("in use", true, "another process uses this checkpoint")
	keep(t, k, "a")
	log := filepath.Join(dir, checkpointFolder, "log-0000000000000001")
	content, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(content)
	damaged[70] ^= 4
	if err := os.WriteFile(log, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	expect("damaged", false, log+": the checkpoint is damaged at byte ", "informerd run --forget")
	if now, err := os.ReadFile(log); err != nil || !bytes.Equal(now, damaged) {
		t.Errorf("the file was changed, %v", err)
	}
	later := bytes.Clone(content)
	later[8]++ // the format, and the checksum of the head
	binary.LittleEndian.PutUint32(later[40:], crc32.Checksum(later[:40],
		crc32.MakeTable(crc32.Castagnoli)))
	if err := os.WriteFile(log, later, 0o600); err != nil {
		t.Fatal(err)
	}
	expect("a later format", false, log+": the checkpoint has another format: 3, ",
		"start the informerd that wrote it")
	if err := mustOpen(t, cfg, true, quiet).Close(); err != nil {
		t.Error(err)
	}
}
