package hostile_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins"
	"github.com/informerd/informerd/pkg/plugins/internal/hostile"
)

// goGuest is the size from which a module takes seconds to compile.
const goGuest = 1 << 20

// hangs is how long a Load may take on a machine that others use as well. A Go guest compiles in 1
// to 4 s on an idle core, and a damaged one takes no longer.
const hangs = 2 * time.Minute

// TestMutants loads damaged modules and passes some events to each. HOSTILE=full takes 10,000
// of them, some hundred of those made of guests in bin/plugins; HOSTILE_SEED repeats a run.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("it loads damaged modules for seconds")
	}
	n, n0, big := 500, uint64(time.Now().UnixNano()), 0
	switch full := os.Getenv("HOSTILE"); full {
	case "":
	case "full":
		n, big = 10_000, 200
	default:
		t.Fatalf("HOSTILE=%s: there is only HOSTILE=full", full)
	}
	if text := os.Getenv("HOSTILE_SEED"); text != "" {
		if _, err := fmt.Sscan(text, &n0); err != nil {
			t.Fatalf("HOSTILE_SEED=%s: %v", text, err)
		}
	}
	t.Logf("HOSTILE_SEED=%d", n0)
	small, large := guests(t)
	out, url, object := &sink{}, silent(t), pod(t)
	host := plugins.NewHost(plugins.HostConfig{Log: slog.New(slog.NewTextHandler(out, nil))})
	defer host.Close(t.Context())
	before := resident(t)
	m := mutants{t: t, host: host, url: url, object: object}
	var workers sync.WaitGroup
	for w := range 2 {
		workers.Go(func() {
			for i := w; i < n && !t.Failed(); i += 2 {
				seed := n0 + uint64(i)
				from := small[i/2%len(small)]
				if big > 0 && len(large) > 0 && i%(n/big) < 2 {
					from = large[i/(n/big)%len(large)]
				}
				m.run(seed, from)
			}
		})
	}
	workers.Wait()
	if after := resident(t); after > before+kept {
		t.Errorf("they leave %d MiB of memory", (after-before)>>20)
	}
	t.Logf("%d mutants: %d refused, %d crashed, %d gave verdicts; longest Load %v (%s), longest call %v",
		n, m.refused, m.crashed, m.verdicts, m.load, m.loaded, m.call)
}

// mutant names a module.
type module struct {
	name string
	wasm []byte
}

// guests are small modules made by hand and, if they were built, guests in all languages; Go's are
// the large ones.
func guests(t *testing.T) (small, large []module) {
	for i, good := range hostile.Good() {
		small = append(small, module{fmt.Sprintf("good %d", i), good})
	}
	files, err := filepath.Glob("../../../../bin/plugins/*.wasm")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		wasm, err := os.ReadFile(file)
		switch name := filepath.Base(file); {
		case err != nil:
			t.Fatal(err)
		case len(wasm) < goGuest:
			small = append(small, module{name, wasm})
		default:
			large = append(large, module{name, wasm})
		}
	}
	return small, large
}

// mutants counts what became of them.
type mutants struct {
	t      *testing.T
	host   *plugins.Host
	url    string
	object *object.Object

	mu                         sync.Mutex // guards what follows
	refused, crashed, verdicts int
	load, call                 time.Duration
	loaded                     string
}

// run loads one, and passes it one event after the other.
func (m *mutants) run(seed uint64, from module) {
	wasm := hostile.Mutant(seed, from.wasm)
	name := fmt.Sprintf("HOSTILE_SEED=%d, a mutant of %s", seed, from.name)
	defer func() {
		if broken := recover(); broken != nil {
			m.t.Errorf("%s: panic: %v", name, broken)
		}
	}()
	s := spec(wasm, m.url, m.object)
	s.Limits.Memory, s.Limits.Deadline, s.Limits.LoadDeadline = 16<<20, 20*time.Millisecond,
		50*time.Millisecond
	begun := time.Now()
	handler, err := m.host.Load(m.t.Context(), s)
	m.note(name, time.Since(begun), 0, err)
	if took := time.Since(begun); took > hangs*slower {
		m.t.Errorf("%s: Load took %v", name, took)
	}
	if err != nil {
		return
	}
	defer handler.Close(m.t.Context())
	i, err := handler.NewInstance(m.t.Context())
	if err != nil {
		m.t.Errorf("%s: %v", name, err)
		return
	}
	defer i.Close(m.t.Context())
	for _, e := range []event.Event{{Op: event.Add, Object: m.object}, {
		Op: event.Update, Object: m.object, Old: m.object},
		{Op: event.Delete, Object: m.object}} {
		begun = time.Now()
		_, err := i.HandleBatch(m.t.Context(), []event.Event{e, e})
		m.note(name, 0, time.Since(begun), err)
	}
}

// note counts what became of a Load or a call.
func (m *mutants) note(name string, load, call time.Duration, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if load > m.load {
		m.load, m.loaded = load, name
	}
	m.call = max(m.call, call)
	switch end := ending(err); {
	case strings.HasPrefix(end, "refused"):
		m.refused++
	case end != "verdict":
		m.crashed++
	case call > 0:
		m.verdicts++
	}
	if err == nil {
		return
	}
	text := err.Error()
	for _, bad := range []string{"runtime error", "goroutine ", "%!", "BUG"} {
		if strings.Contains(text, bad) {
			m.t.Errorf("%s: %s", name, text)
		}
	}
}

func TestMutantsAreTheSameAgain(t *testing.T) {
	good := hostile.Good()
	for i, module := range good {
		whole := bytes.Clone(module)
		for seed := range uint64(100) {
			if a, b := hostile.Mutant(seed, module), hostile.Mutant(seed, module); !bytes.Equal(a,
				b) {
				t.Fatalf("seed %d makes two mutants of module %d", seed, i)
			}
		}
		if !bytes.Equal(module, whole) {
			t.Errorf("module %d was changed", i)
		}
	}
}

// What mutants are made of must work, or they would all end in the same place.
func TestGoodModulesGiveVerdicts(t *testing.T) {
	host, url, object := plugins.NewHost(plugins.HostConfig{Log: slog.New(slog.DiscardHandler)}),
		silent(t), pod(t)
	defer host.Close(t.Context())
	for n, module := range hostile.Good() {
		s := spec(module, url, object)
		s.Limits.Deadline = time.Minute
		handler, err := host.Load(t.Context(), s)
		if err != nil {
			t.Fatalf("module %d: %v", n, err)
		}
		i, err := handler.NewInstance(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := i.Handle(t.Context(), event.Event{Op: event.Add, Object: object}); err != nil {
			t.Errorf("module %d: %v", n, err)
		}
	}
}
