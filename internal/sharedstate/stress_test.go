package sharedstate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// amount is the work of the tests with a cluster: STRESS=short or full.
type amount struct{ overlaps, kills, cuts int }

func amountOf(t *testing.T) amount {
	t.Helper()
	switch text := os.Getenv("STRESS"); text {
	case "":
		return amount{overlaps: 30}
	case "short":
		return amount{overlaps: 100, kills: 3, cuts: 1}
	case "full":
		return amount{overlaps: 1000, kills: 40, cuts: 8}
	default:
		t.Fatalf("STRESS=%s: only short and full are allowed", text)
		return amount{}
	}
}

// record is a message as a plain client reads it.
type record struct {
	sequence uint64
	subject  string
	epoch    int
	data     string
	fence    bool
}

// records reads all that a stream has, with nothing of this package.
func records(t *testing.T, js jetstream.JetStream, name string) (all []record) {
	t.Helper()
	ctx := within(t, 5*time.Minute)
	stream, err := js.Stream(ctx, name)
	for err != nil && ctx.Err() == nil { // there may be no leader yet
		time.Sleep(100 * time.Millisecond)
		stream, err = js.Stream(ctx, name)
	}
	if err != nil {
		t.Fatal(err)
	}
	next, last := uint64(1), stream.CachedInfo().State.LastSeq
	for misses := 0; next <= last && misses < 50; { // the last one may have gone
		m, err := stream.GetMsg(ctx, next, jetstream.WithGetMsgSubject(">"))
		if err != nil {
			if ctx.Err() != nil {
				t.Fatal(err)
			}
			misses++
			time.Sleep(100 * time.Millisecond)
			continue
		}
		misses, next = 0, m.Sequence+1
		r := record{sequence: m.Sequence, subject: m.Subject, data: string(m.Data),
			fence: strings.HasSuffix(m.Subject, ".fence")}
		if text := m.Header.Get("Informerd-Epoch"); text != "" {
			if r.epoch, err = strconv.Atoi(text); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, r)
	}
	return all
}

// partOf returns the level of a subject that is the part.
func partOf(subject string) string {
	for level := range strings.SplitSeq(subject, ".") {
		if strings.HasPrefix(level, "p") {
			return level
		}
	}
	return ""
}

// checkOrder fails if a message stands behind the fence of a later epoch than its own, in a stream
// that keeps all messages of a subject.
func checkOrder(t *testing.T, all []record) {
	t.Helper()
	epochs := map[string]int{}
	for _, r := range all {
		part := partOf(r.subject)
		if part == "" {
			continue
		}
		if r.epoch < epochs[part] || !r.fence && r.epoch != epochs[part] {
			t.Errorf("message %d to %s is of epoch %d, behind the fence of %d", r.sequence, r.subject,
				r.epoch, epochs[part])
		}
		epochs[part] = r.epoch
	}
}

// While an old hold writes without end, newer ones take over: whatever it writes once they have is
// refused, and the streams, which keep all that was ever written, show none of it.
func TestOverlaps(t *testing.T) {
	rounds := amountOf(t).overlaps
	c := newCluster(t)
	_, js := plain(t, c.url())
	for name, subject := range map[string]string{"KV_" + bucket: "$KV." + bucket + ".>",
		bucket + "-letters": bucket + "-letters.>"} {
		createWhenReady(t, js, jetstream.StreamConfig{Name: name, Subjects: []string{subject},
			Replicas: 3, AllowDirect: true, AllowMsgTTL: true, AllowAtomicPublish: true,
			MaxMsgsPerSubject: -1})
	}
	states := []*State{openState(t, c.url(), 3), openState(t, c.url(), 3)}
	awaitReady(t, states[0])
	var confirmed sync.Map
	write := func(h *Hold, n int, data string) error {
		if n%2 == 0 {
			return h.PutLetter(context.Background(), "id", []byte(data))
		}
		return h.Commit(context.Background(), values("t", "a", data, "b", data))
	}
	var late atomic.Int64
	old := take(t, states[0], "x", 1)
	for round := range rounds {
		var taken atomic.Bool
		var wg sync.WaitGroup
		for w := range 2 {
			wg.Go(func() {
				for n := w; ; n++ {
					after := taken.Load()
					data := fmt.Sprint("round ", round, " of ", w, " write ", n, " after ", after)
					err := write(old, n, data)
					switch {
					case err == nil && after:
						t.Errorf("round %d: a stale write was confirmed", round)
					case err == nil:
						confirmed.Store(data, true)
					case !errors.Is(err, ErrStale):
						t.Errorf("round %d: %v", round, err)
					}
					if after {
						late.Add(1)
						return
					}
				}
			})
		}
		time.Sleep(rand.N(10 * time.Millisecond))
		newer := take(t, states[(round+1)%2], "x", int64(round+2))
		taken.Store(true)
		first := fmt.Sprint("round ", round, " first")
		if err := write(newer, round, first); err != nil {
			t.Errorf("round %d: the newer one: %v", round, err)
		}
		confirmed.Store(first, true)
		wg.Wait()
		old = newer
	}
	for _, name := range []string{"KV_" + bucket, bucket + "-letters"} {
		all := records(t, js, name)
		checkOrder(t, all)
		for _, r := range all {
			confirmed.Delete(r.data)
			if strings.HasSuffix(r.data, "after true") {
				t.Errorf("%s has %q", name, r.data)
			}
		}
	}
	confirmed.Range(func(data, _ any) bool {
		t.Errorf("%q was confirmed, and is not there", data)
		return true
	})
	t.Logf("%d overlaps, %d late writes", rounds, late.Load())
}

func createWhenReady(t *testing.T, js jetstream.JetStream, config jetstream.StreamConfig) {
	t.Helper()
	ctx := within(t, 60*time.Second)
	for {
		soon, cancel := context.WithTimeout(ctx, 2*time.Second)
		_, err := js.CreateStream(soon, config)
		cancel()
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// worker works on a part as one owner after the other, and knows what there may be: of each key
// what was confirmed, and what was tried since.
type worker struct {
	t      *testing.T
	urls   []string
	name   string
	random *rand.Rand
	epoch  int64
	// may has, for each key and letter, what it may have; "" is nothing.
	may map[string]map[string]bool

	confirmed, unknown, owners atomic.Int64
}

const gone = ""

func (w *worker) tried(key, data string) {
	if w.may[key] == nil {
		w.may[key] = map[string]bool{gone: true}
	}
	w.may[key][data] = true
}

// is checks what a key has, of which nothing else can come any more.
func (w *worker) is(key, data string) {
	may := w.may[key]
	if may == nil {
		may = map[string]bool{gone: true}
	}
	if !may[data] {
		w.t.Errorf("%s: %s has %q, it may have %v", w.name, key, data, may)
	}
	w.may[key] = map[string]bool{data: true}
}

func (w *worker) run(stop context.Context) {
	for stop.Err() == nil {
		w.own(stop)
		w.owners.Add(1)
	}
}

// own is one owner of the part, which in the end dies in the middle of a write.
func (w *worker) own(stop context.Context) {
	ctx, cancel := context.WithTimeout(stop, 10*time.Second)
	s, err := Open(ctx, Config{URL: strings.Join(w.urls, ","), Bucket: bucket, Replicas: 3,
		Log: slog.New(slog.DiscardHandler)})
	cancel()
	if err != nil {
		return
	}
	defer s.Close()
	w.epoch++
	h, err := s.Hold(stop, w.name, w.epoch)
	if err != nil || !w.load(stop, h) {
		return
	}
	for n := w.random.IntN(150); n > 0 && stop.Err() == nil; n-- {
		if n == 1 {
			time.AfterFunc(time.Duration(w.random.IntN(4))*time.Millisecond, s.Close)
		}
		w.write(stop, h)
		if w.random.IntN(40) == 0 {
			w.load(stop, h)
		}
	}
}

func (w *worker) load(ctx context.Context, h *Hold) bool {
	found := map[string]string{}
	for _, table := range []string{"t", "u"} {
		all, err := h.Load(ctx, table)
		if err != nil {
			w.failed(err)
			return false
		}
		for key, v := range all {
			found[table+" "+key] = v.Data
		}
	}
	for l, err := range h.Letters(ctx) {
		if err != nil {
			w.failed(err)
			return false
		}
		found["letter "+l.ID] = string(l.Data)
	}
	for key := range w.may {
		w.is(key, found[key])
		delete(found, key)
	}
	for key := range found {
		w.t.Errorf("%s: %s was never written", w.name, key)
	}
	return true
}

// failed is about an error of a hold that no other one has followed.
func (w *worker) failed(err error) {
	if errors.Is(err, ErrStale) {
		w.t.Errorf("%s: %v", w.name, err)
	}
	w.unknown.Add(1)
	time.Sleep(20 * time.Millisecond)
}

func (w *worker) write(ctx context.Context, h *Hold) {
	data := strconv.FormatUint(w.random.Uint64(), 36)
	tried := map[string]string{}
	var err error
	switch id := strconv.Itoa(w.random.IntN(20)); w.random.IntN(4) {
	case 0:
		tried["letter "+id] = data
		w.tried("letter "+id, data)
		err = h.PutLetter(ctx, id, []byte(data))
	case 1:
		tried["letter "+id] = gone
		w.tried("letter "+id, gone)
		err = h.DeleteLetter(ctx, id)
	default:
		changes := map[string]map[string]*Value{"t": {}, "u": {}}
		for range 1 + w.random.IntN(5) {
			table, key := string("tu"[w.random.IntN(2)]), strconv.Itoa(w.random.IntN(20))
			v := &Value{Data: data}
			if w.random.IntN(3) == 0 {
				v = nil
			}
			changes[table][key] = v
			tried[table+" "+key] = gone
			if v != nil {
				tried[table+" "+key] = data
			}
		}
		for key, data := range tried {
			w.tried(key, data)
		}
		err = h.Commit(ctx, changes)
	}
	if err != nil {
		w.failed(err)
		return
	}
	for key, data := range tried {
		w.may[key] = map[string]bool{data: true}
	}
	w.confirmed.Add(1)
}

// world is a cluster with workers.
type world struct {
	t       *testing.T
	cluster *cluster
	js      jetstream.JetStream
	workers []*worker
	end     context.CancelFunc
	running sync.WaitGroup
}

func newWorld(t *testing.T) *world {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	c := newCluster(t)
	s := openState(t, c.url(), 3)
	awaitReady(t, s)
	w := &world{t: t, cluster: c}
	_, w.js = plain(t, c.url())
	var ctx context.Context
	ctx, w.end = context.WithCancel(context.Background())
	for i := range 4 {
		one := &worker{t: t, urls: strings.Split(c.url(), ","), name: fmt.Sprint("lease.", i),
			random: rand.New(rand.NewPCG(seed, uint64(i))), may: map[string]map[string]bool{}}
		w.workers = append(w.workers, one)
		w.running.Go(func() { one.run(ctx) })
	}
	t.Cleanup(func() {
		w.end()
		w.running.Wait()
	})
	return w
}

// progress waits until all workers have got something confirmed.
func (w *world) progress(workers ...*worker) {
	w.t.Helper()
	var before []int64
	for _, one := range workers {
		before = append(before, one.confirmed.Load())
	}
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		all := true
		for i, one := range workers {
			all = all && one.confirmed.Load() >= before[i]+5
		}
		if all {
			return
		}
		if time.Since(begun) > 90*time.Second {
			w.t.Fatal("nothing is confirmed any more")
		}
	}
}

// leader returns the node that leads a stream, or any.
func (w *world) leader(stream string) int {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	s, err := w.js.Stream(ctx, stream)
	if err != nil || s.CachedInfo().Cluster == nil {
		return rand.IntN(nodes)
	}
	n, err := strconv.Atoi(strings.TrimPrefix(s.CachedInfo().Cluster.Leader, "n"))
	if err != nil {
		return rand.IntN(nodes)
	}
	return n
}

// victim returns the leader of one of the streams, or any node.
func (w *world) victim(round int) int {
	switch round % 3 {
	case 0:
		return w.leader("KV_" + bucket)
	case 1:
		return w.leader(bucket + "-letters")
	}
	return rand.IntN(nodes)
}

// finish ends the workers, and checks what the streams have in the end by a plain client.
func (w *world) finish() {
	w.t.Helper()
	w.progress(w.workers...)
	w.end()
	w.running.Wait()
	last := map[string]record{}
	values := records(w.t, w.js, "KV_"+bucket)
	letters := records(w.t, w.js, bucket+"-letters")
	for _, r := range append(values, letters...) {
		last[r.subject] = r
	}
	confirmed, unknown, owners := int64(0), int64(0), int64(0)
	for i, one := range w.workers {
		for key, may := range one.may {
			table, id, _ := strings.Cut(key, " ")
			subject := fmt.Sprintf("$KV.%s.please=2E%d.t%s.k%s", bucket, i, table, id)
			if table == "letter" {
				subject = fmt.Sprintf("%s-letters.please=2E%d.t.k%s", bucket, i, id)
			}
			if r := last[subject]; !may[r.data] {
				w.t.Errorf("%s has %q, it may have %v", subject, r.data, may)
			}
		}
		confirmed, unknown = confirmed+one.confirmed.Load(), unknown+one.unknown.Load()
		owners += one.owners.Load()
	}
	w.t.Logf("%d writes confirmed, %d not, %d owners", confirmed, unknown, owners)
}

// Nothing that was confirmed is lost, whichever servers and owners are killed.
func TestKilledServersAndOwners(t *testing.T) {
	kills := amountOf(t).kills
	if kills == 0 {
		t.Skip("it takes minutes: set STRESS to short or full")
	}
	w := newWorld(t)
	w.progress(w.workers...)
	for i := range kills {
		n := w.cluster.nodes[w.victim(i)]
		n.kill()
		w.progress(w.workers...)
		n.start(t)
		w.progress(w.workers...)
		time.Sleep(rand.N(2 * time.Second))
	}
	for _, n := range w.cluster.nodes { // all at once, at last
		n.kill()
	}
	for _, n := range w.cluster.nodes {
		n.start(t)
	}
	w.finish()
	t.Logf("%d servers were killed", kills+nodes)
}

// A server that is cut off from the others confirms nothing, and what its clients have written to
// it by then comes to nothing once another one has taken over.
func TestCutOffServer(t *testing.T) {
	cuts := amountOf(t).cuts
	if cuts == 0 {
		t.Skip("it takes minutes: set STRESS to short or full")
	}
	w := newWorld(t)
	w.progress(w.workers...)
	late := 0
	for i := range cuts {
		n := w.victim(i)
		name := fmt.Sprint("cut ", i)
		alone := openState(t, "nats://"+w.cluster.nodes[n].client, 3)
		old := take(t, alone, name, 1)
		commit(t, old, values("t", "a", "old"))
		put(t, old, "a", "old")
		w.cluster.isolate(n)
		var urls []string
		for j, other := range w.cluster.nodes {
			if j != n {
				urls = append(urls, "nats://"+other.client)
			}
		}
		others := openState(t, strings.Join(urls, ","), 3)
		stale := func() {
			soon, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
			defer cancel()
			if err := old.Commit(soon, values("t", "a", "stale", "b", "stale")); err == nil {
				t.Error("a server on its own has confirmed a commit")
			}
			if err := old.PutLetter(soon, "b", []byte("stale")); err == nil {
				t.Error("a server on its own has confirmed a letter")
			}
			late += 2
		}
		var newer *Hold
		for ctx := within(t, 90*time.Second); newer == nil; {
			stale()
			h, err := others.Hold(ctx, name, 2)
			if err == nil {
				newer = h
			} else if ctx.Err() != nil {
				t.Fatal(err)
			}
		}
		for range 5 {
			stale()
		}
		expectLoadedWhenReady(t, newer, "map[a:old]")
		w.cluster.heal(n)
		w.progress(w.workers...)
		for ctx := within(t, 60*time.Second); ; late++ {
			err := old.Commit(ctx, values("t", "a", "stale"))
			if errors.Is(err, ErrStale) {
				break
			}
			if err == nil || ctx.Err() != nil {
				t.Fatalf("a stale commit returns %v", err)
			}
			time.Sleep(50 * time.Millisecond)
		}
		expectLoadedWhenReady(t, newer, "map[a:old]")
	}
	w.finish()
	t.Logf("%d cuts, %d stale writes", cuts, late)
}

// expectLoadedWhenReady is for servers that may just elect a leader.
func expectLoadedWhenReady(t *testing.T, h *Hold, want string) {
	t.Helper()
	for ctx := within(t, 60*time.Second); ; time.Sleep(50 * time.Millisecond) {
		all, err := h.Load(ctx, "t")
		if err == nil {
			if got := fmt.Sprintf("map[a:%s]", all["a"].Data); got != want || len(all) != 1 {
				t.Errorf("it has %v, want %s", all, want)
			}
			return
		}
		if errors.Is(err, ErrStale) || ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}
