package sharedstate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func TestHandOver(t *testing.T) {
	s := openState(t, start(t, nil).ClientURL(), 1)
	first := take(t, s, "lease.3", 1)
	other := take(t, s, "lease.4", 9)
	commit(t, first, values("pods", "a", "1", "b", "2"))
	commit(t, first, values("pods", "a", "3", "b", "-", "c", ""))
	commit(t, first, values("nodes", "a", "node"))
	commit(t, other, values("pods", "a", "other"))
	put(t, first, "2", "two")
	put(t, first, "1", "one")
	put(t, first, "3", "three")
	put(t, other, "9", "nine")
	if err := first.DeleteLetter(t.Context(), "1"); err != nil {
		t.Error(err)
	}
	expectLoaded(t, first, "pods", "map[a:3 c:]")
	second := take(t, openState(t, s.config.URL, 1), "lease.3", 2)
	expectLoaded(t, second, "pods", "map[a:3 c:]")
	expectLoaded(t, second, "nodes", "map[a:node]")
	expectLoaded(t, second, "nothing", "map[]")
	expectLoaded(t, other, "pods", "map[a:other]")
	if got := fmt.Sprint(letters(t, second)); got != "[2=two 3=three]" {
		t.Errorf("the letters are %s", got)
	}
	if got := fmt.Sprint(letters(t, other)); got != "[9=nine]" {
		t.Errorf("the letters are %s", got)
	}
	put(t, second, "2", "again")
	if got := fmt.Sprint(letters(t, second)); got != "[3=three 2=again]" {
		t.Errorf("the letters are %s", got)
	}
	commit(t, second, values("pods", "a", "4"))
	expectLoaded(t, second, "pods", "map[a:4 c:]")
}

// Whatever a hold does once another one has its part is refused, and no other part is concerned.
func TestStaleHold(t *testing.T) {
	s := openState(t, start(t, nil).ClientURL(), 1)
	old, other := take(t, s, "p", 5), take(t, s, "p.", 1)
	commit(t, old, values("t", "a", "1"))
	newer := take(t, s, "p", 6)
	for range 2 {
		for what, err := range map[string]error{
			"Commit":       old.Commit(t.Context(), values("t", "a", "stale")),
			"PutLetter":    old.PutLetter(t.Context(), "1", nil),
			"DeleteLetter": old.DeleteLetter(t.Context(), "1"),
			"Load":         second(old.Load(t.Context(), "t")),
			"Hold":         second(s.Hold(t.Context(), "p", 5)),
		} {
			if !errors.Is(err, ErrStale) || err.Error() != `shared state: part "p": `+ErrStale.Error() {
				t.Errorf("%s returns %v", what, err)
			}
		}
		for _, err := range old.Letters(t.Context()) {
			if !errors.Is(err, ErrStale) {
				t.Errorf("Letters yields %v", err)
			}
		}
	}
	expectLoaded(t, newer, "t", "map[a:1]")
	commit(t, other, values("t", "a", "1"))
	again := take(t, s, "p", 6) // as after a restart
	if err := newer.Commit(t.Context(), values("t", "a", "2")); !errors.Is(err, ErrStale) {
		t.Errorf("a hold of the same epoch that came before returns %v", err)
	}
	commit(t, again, values("t", "a", "3"))
	if _, err := s.Hold(t.Context(), "p", 0); err == nil ||
		err.Error() != `shared state: part "p": the epoch is 0, it must be 1 at least` {
		t.Errorf("epoch 0: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// Of holds that are made at once, those that come last have the part, and one of them at most can
// write.
func TestHoldsAtOnce(t *testing.T) {
	url := start(t, nil).ClientURL()
	states := []*State{openState(t, url, 1), openState(t, url, 1)}
	for round := range 20 {
		var wg sync.WaitGroup
		var holds [8]*Hold
		for i := range holds {
			wg.Go(func() {
				h, err := states[i%2].Hold(t.Context(), "p", int64(round*len(holds)+1+i/2))
				if err == nil {
					holds[i] = h
				} else if !errors.Is(err, ErrStale) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		able := 0
		for i, h := range holds {
			if h == nil {
				continue
			}
			if err := h.Commit(t.Context(), values("t", "a", fmt.Sprint(i))); err == nil {
				able++
				if i/2 != 3 {
					t.Errorf("hold %d can write", i)
				}
			} else if !errors.Is(err, ErrStale) {
				t.Error(err)
			}
		}
		if able != 1 {
			t.Errorf("%d holds can write", able)
		}
	}
}

func TestOddNames(t *testing.T) {
	s := openState(t, start(t, nil).ClientURL(), 1)
	odd := []string{"", ".", "..", " ", "*", ">", "a.b", "a b", "=", "=41", "A", "a", "\x00\xff", "ü",
		"mark", "ark", "fence", "\r\n", "a/b:c", strings.Repeat("\x00", 256), strings.Repeat("a", 256)}
	for i, name := range odd[:len(odd)-2] {
		h := take(t, s, name, 1)
		for j, table := range odd {
			changes := map[string]*Value{}
			for _, key := range odd {
				changes[key] = &Value{Data: fmt.Sprint(i, j) + key}
			}
			if i == j || i == 0 {
				commit(t, h, map[string]map[string]*Value{table: changes})
			}
		}
		put(t, h, name, name)
	}
	for i, name := range odd[:len(odd)-2] {
		h := take(t, s, name, 2)
		got, err := h.Load(t.Context(), name)
		if err != nil || len(got) != len(odd) {
			t.Fatalf("%q: %d keys, %v", name, len(got), err)
		}
		for _, key := range odd {
			if got[key].Data != fmt.Sprint(i, i)+key {
				t.Errorf("%q %q has %q", name, key, got[key].Data)
			}
		}
		if got := letters(t, h); len(got) != 1 || got[0] != name+"="+name {
			t.Errorf("%q has the letters %q", name, got)
		}
	}
	h := take(t, s, "p", 1)
	err := h.Commit(t.Context(), values("t", strings.Repeat(".", 2000), ""))
	if err == nil || !strings.Contains(err.Error(), "is too long for a subject") {
		t.Errorf("a long key returns %v", err)
	}
}

func TestTokens(t *testing.T) {
	for b := range 256 {
		for _, text := range []string{string([]byte{byte(b)}), "x" + string([]byte{byte(b)}) + "y"} {
			one := token("k", text)
			if got, err := textOf(one); err != nil || got != text {
				t.Errorf("%q is %q, and back %q, %v", text, one, got, err)
			}
		}
	}
	for _, bad := range []string{"k=", "k=4", "k=zz"} {
		if text, err := textOf(bad); err == nil {
			t.Errorf("%q is %q", bad, text)
		}
	}
}

// The time at which a value is over is kept to the nanosecond, and the server removes what is over.
func TestExpiry(t *testing.T) {
	s := openState(t, start(t, nil).ClientURL(), 1)
	h := take(t, s, "p", 1)
	soon := time.Now().Add(900 * time.Millisecond).UnixNano()
	late := time.Now().Add(100 * 365 * 24 * time.Hour).UnixNano()
	commit(t, h, map[string]map[string]*Value{"t": {"soon": {"1", soon}, "late": {"2", late},
		"over": {"3", 1}, "never": {"4", 0}}})
	got, err := h.Load(t.Context(), "t")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Value{"soon": {"1", soon}, "late": {"2", late}, "never": {"4", 0}}
	if !maps.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	_, js := plain(t, s.config.URL)
	stream, err := js.Stream(t.Context(), "KV_"+bucket)
	if err != nil {
		t.Fatal(err)
	}
	subject := "$KV." + bucket + ".pp.tt.ksoon"
	for begun := time.Now(); ; {
		_, err := stream.GetLastMsgForSubject(t.Context(), subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			if time.Now().UnixNano() < soon {
				t.Error("it was removed too early")
			}
			break
		}
		if time.Since(begun) > 10*time.Second {
			t.Fatal("it is still there")
		}
		time.Sleep(20 * time.Millisecond)
	}
	expectLoaded(t, h, "t", "map[late:2 never:4]")
}

// A commit of more than one batch and a table of more than one page.
func TestManyAndLarge(t *testing.T) {
	s := openState(t, start(t, nil).ClientURL(), 1)
	h := take(t, s, "p", 1)
	changes, want := map[string]*Value{}, map[string]string{}
	for i := range 1700 {
		key := fmt.Sprint("key ", i)
		want[key] = strings.Repeat(fmt.Sprint(i, " "), i%100)
		changes[key] = &Value{Data: want[key]}
	}
	for _, key := range []string{"x", "y", "z"} {
		want[key] = strings.Repeat(key, 900<<10)
		changes[key] = &Value{Data: want[key]}
	}
	commit(t, h, map[string]map[string]*Value{"t": changes})
	expectLoaded(t, h, "t", fmt.Sprint(want))
	for i := range 5 {
		put(t, h, fmt.Sprint(i), strings.Repeat("x", 700<<10))
	}
	if got := letters(t, h); len(got) != 5 {
		t.Errorf("%d letters", len(got))
	}
	err := h.PutLetter(t.Context(), "huge", make([]byte, 2<<20))
	if err == nil || !strings.HasSuffix(err.Error(), "it is larger than max_payload of the servers") {
		t.Errorf("a letter that is too large returns %v", err)
	}
	put(t, h, "small", "")
}

// Writes at the same time are put together, and none is mixed up.
func TestWritesAtOnce(t *testing.T) {
	s := openState(t, start(t, nil).ClientURL(), 1)
	h := take(t, s, "p", 1)
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			for i := range 20 {
				if err := h.PutLetter(t.Context(), fmt.Sprint(w, " ", i), []byte(fmt.Sprint(w))); err != nil {
					t.Error(err)
				}
				if err := h.Commit(t.Context(), values(fmt.Sprint(w), "k", fmt.Sprint(i))); err != nil {
					t.Error(err)
				}
				got, err := h.Load(t.Context(), fmt.Sprint(w))
				if err != nil || got["k"].Data != fmt.Sprint(i) {
					t.Errorf("%v, %v, want %d", got, err, i)
				}
			}
		})
	}
	wg.Wait()
	if got := letters(t, h); len(got) != 16*20 {
		t.Errorf("%d letters", len(got))
	}
}

// A loop over letters can write, and end early.
func TestLettersWhileWriting(t *testing.T) {
	s := openState(t, start(t, nil).ClientURL(), 1)
	h := take(t, s, "p", 1)
	for i := range 10 {
		put(t, h, fmt.Sprint(i), "")
	}
	seen := 0
	for l, err := range h.Letters(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		seen++
		put(t, h, "new"+l.ID, "")
		if err := h.DeleteLetter(t.Context(), l.ID); err != nil {
			t.Fatal(err)
		}
	}
	if seen != 10 {
		t.Errorf("%d letters", seen)
	}
	for range h.Letters(t.Context()) {
		break
	}
	if got := letters(t, h); len(got) != 10 || got[0] != "new0=" {
		t.Errorf("then %v", got)
	}
}

// In a stream that keeps several messages of a subject, as in what a replica answers that lags
// behind, a letter is the last one.
func TestLettersWithHistory(t *testing.T) {
	url := start(t, nil).ClientURL()
	_, js := plain(t, url)
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: bucket + "-letters",
		Subjects: []string{bucket + "-letters.>"}, AllowDirect: true, AllowMsgTTL: true,
		AllowAtomicPublish: true}); err != nil {
		t.Fatal(err)
	}
	h := take(t, openState(t, url, 1), "p", 1)
	for i, id := range []string{"a", "b", "c", "a", "d", "b"} {
		put(t, h, id, fmt.Sprint(i))
	}
	for range 2 {
		if err := h.DeleteLetter(t.Context(), "b"); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(letters(t, h)); got != "[c=2 a=3 d=4]" {
			t.Errorf("the letters are %s", got)
		}
	}
}

func TestSecret(t *testing.T) {
	url := start(t, nil).ClientURL()
	var made atomic.Int32
	var wg sync.WaitGroup
	var got [8]string
	states := []*State{openState(t, url, 1), openState(t, url, 1)}
	for i := range got {
		wg.Go(func() {
			secret, err := states[i%2].Secret(t.Context(), "digests", func() []byte {
				return fmt.Append(nil, made.Add(1))
			})
			if err != nil {
				t.Error(err)
			}
			got[i] = string(secret)
		})
	}
	wg.Wait()
	for _, one := range got {
		if one == "" || one != got[0] {
			t.Errorf("the secrets are %q", got)
		}
	}
	other, err := states[0].Secret(t.Context(), "", func() []byte { return []byte("other") })
	if err != nil || string(other) != "other" {
		t.Errorf("%q, %v", other, err)
	}
}

func TestUnfitAssets(t *testing.T) {
	srv := start(t, nil)
	_, js := plain(t, srv.ClientURL())
	fits := jetstream.StreamConfig{Subjects: []string{"$KV.b.>"}, AllowDirect: true, AllowMsgTTL: true,
		AllowAtomicPublish: true, MaxMsgsPerSubject: 5, Discard: jetstream.DiscardNew, MaxBytes: 1 << 30}
	for _, test := range []struct {
		name   string
		change func(*jetstream.StreamConfig)
		want   string
	}{
		{"fits", func(*jetstream.StreamConfig) {}, ""},
		{"subjects", func(c *jetstream.StreamConfig) { c.Subjects = []string{"$KV.b.*"} },
			"the subjects $KV.b.> alone"},
		{"memory", func(c *jetstream.StreamConfig) { c.Storage = jetstream.MemoryStorage },
			"storage file"},
		{"discard", func(c *jetstream.StreamConfig) { c.Discard = jetstream.DiscardOld },
			"discard new, since it has a limit"},
		{"marker", func(c *jetstream.StreamConfig) {
			c.SubjectDeleteMarkerTTL, c.AllowRollup = time.Hour, true
		}, "no subject_delete_marker_ttl"},
		{"per subject", func(c *jetstream.StreamConfig) { c.DiscardNewPerSubject = true },
			"no discard_new_per_subject"},
		{"age", func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour }, "no max_age"},
		{"retention", func(c *jetstream.StreamConfig) { c.Retention = jetstream.WorkQueuePolicy },
			"retention limits"},
		{"direct", func(c *jetstream.StreamConfig) { c.AllowDirect = false }, "allow_direct"},
		{"ttl", func(c *jetstream.StreamConfig) { c.AllowMsgTTL = false }, "allow_msg_ttl"},
		{"batches", func(c *jetstream.StreamConfig) { c.AllowAtomicPublish = false },
			"allow_atomic, which nats-server has since 2.12"},
	} {
		t.Run(test.name, func(t *testing.T) {
			config := fits
			config.Name = "KV_b"
			test.change(&config)
			if _, err := js.CreateStream(t.Context(), config); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := js.DeleteStream(context.Background(), "KV_b"); err != nil {
					t.Error(err)
				}
			}()
			s, err := Open(within(t, 10*time.Second), Config{URL: srv.ClientURL(), Bucket: "b", Replicas: 1})
			if test.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				h := take(t, s, "p", 1)
				commit(t, h, values("t", "a", "1", "b", "2"))
				commit(t, h, values("t", "a", "-"))
				loaded(t, h, "t")
				commit(t, h, values("t", "ark", "3"))
				expectLoaded(t, h, "t", "map[ark:3 b:2]")
				s.Close()
				return
			}
			if want := "shared state: stream KV_b does not fit: it must have " + test.want; err == nil ||
				err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
	_, err := Open(within(t, time.Second), Config{URL: srv.ClientURL(), Bucket: "c", Replicas: 3})
	if err == nil || !strings.HasPrefix(err.Error(), "shared state: stream KV_c: ") {
		t.Errorf("three replicas of one server: %v", err)
	}
	_, err = Open(t.Context(), Config{URL: srv.ClientURL(), Bucket: "a.b", Replicas: 1})
	if err == nil || err.Error() !=
		`shared state: the bucket "a.b" is no name of letters, digits, - and _` {
		t.Errorf("a bad bucket: %v", err)
	}
}

// The bucket can be looked into with clients of NATS.
func TestBucketIsOne(t *testing.T) {
	s := openState(t, start(t, nil).ClientURL(), 1)
	h := take(t, s, "lease.3", 7)
	commit(t, h, values("pods", "a", "1", "b/c", "2"))
	commit(t, h, values("pods", "a", "-"))
	loaded(t, h, "pods")
	_, js := plain(t, s.config.URL)
	kv, err := js.KeyValue(t.Context(), bucket)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := kv.Keys(t.Context())
	if err != nil || fmt.Sprint(keys) != "[please=2E3.fence please=2E3.tpods.kb/c]" {
		t.Errorf("the keys are %v, %v", keys, err)
	}
	if e, err := kv.Get(t.Context(), "please=2E3.fence"); err != nil || string(e.Value()) != "7" {
		t.Errorf("the fence is %v, %v", e, err)
	}
}

// While the server is away, calls fail soon, or with their context; then they go on.
func TestServerAwayAndBack(t *testing.T) {
	srv := start(t, nil)
	s := openState(t, srv.ClientURL(), 1)
	h := take(t, s, "p", 1)
	commit(t, h, values("t", "a", "1"))
	port, dir := srv.Addr().(*net.TCPAddr).Port, srv.StoreDir()
	stop(srv)
	for i, f := range []func() error{
		func() error { return h.Commit(t.Context(), values("t", "a", "2")) },
		func() error { return second(h.Load(t.Context(), "t")) },
		func() error { return h.PutLetter(t.Context(), "1", nil) },
		func() error { return second(s.Hold(t.Context(), "q", 1)) },
		func() error { return second(s.Secret(t.Context(), "x", func() []byte { return nil })) },
	} {
		begun := time.Now()
		err := f()
		longest := time.Second
		if i == 0 { // it may have been sent before the client noticed
			longest += patience
		}
		if took := time.Since(begun); err == nil || errors.Is(err, ErrStale) || took > longest {
			t.Errorf("call %d returns %v after %v", i, err, took)
		}
	}
	begun := time.Now()
	soon, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := Open(soon, Config{URL: s.config.URL, Bucket: bucket, Replicas: 1}); err == nil ||
		time.Since(begun) > 5*time.Second {
		t.Errorf("Open returns %v after %v", err, time.Since(begun))
	}
	start(t, func(o *server.Options) {
		o.Port, o.StoreDir = port, strings.TrimSuffix(dir, "/jetstream")
	})
	for ctx := within(t, 20*time.Second); ; time.Sleep(10 * time.Millisecond) {
		if err := h.Commit(ctx, values("t", "b", "3")); err == nil {
			break
		} else if ctx.Err() != nil {
			t.Fatal(err)
		}
	}
	got := loaded(t, h, "t")
	if got != "map[a:1 b:3]" && got != "map[a:2 b:3]" {
		t.Errorf("got %s", got)
	}
}

// Close ends what is under way, whatever the server does, and what comes later fails.
func TestClose(t *testing.T) {
	srv := start(t, nil)
	l := newLink(t, srv.Addr().String())
	s := openState(t, "nats://"+l.address(), 1)
	h := take(t, s, "p", 1)
	l.cut()
	var wg sync.WaitGroup
	failed := func(err error) {
		if err == nil || !strings.HasSuffix(err.Error(), errClosed.Error()) {
			t.Errorf("got %v", err)
		}
	}
	begun := time.Now()
	wg.Go(func() { failed(h.Commit(context.Background(), values("t", "a", "1"))) })
	wg.Go(func() { failed(second(s.Secret(context.Background(), "x", func() []byte { return nil }))) })
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := h.PutLetter(short, "1", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	s.Close()
	wg.Wait()
	s.Close()
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("it took %v", took)
	}
	failed(h.PutLetter(t.Context(), "1", nil))
	failed(second(h.Load(t.Context(), "t")))
	failed(second(s.Hold(t.Context(), "p", 2)))
}

// An answer that is lost leaves a write that may come late: it never comes after what is confirmed
// later.
func TestLateWrite(t *testing.T) {
	srv := start(t, nil)
	l := newLink(t, srv.Addr().String())
	s := openState(t, "nats://"+l.address(), 1)
	h := take(t, s, "p", 1)
	for i := range 10 {
		l.cut()
		soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		err := h.Commit(soon, values("t", "a", fmt.Sprint("late ", i), "x", fmt.Sprint("late ", i)))
		cancel()
		if err == nil {
			t.Fatal("it was confirmed")
		}
		l.mend() // what was held up arrives
		commit(t, h, values("t", "a", fmt.Sprint(i), "x", ""))
		expectLoaded(t, h, "t", fmt.Sprintf("map[a:%d x:]", i))
	}
	nc, js := plain(t, srv.ClientURL())
	stream, err := js.Stream(t.Context(), "KV_"+bucket)
	if err != nil {
		t.Fatal(err)
	}
	const prefix = "$KV." + bucket + ".pp."
	fence, err := stream.GetLastMsgForSubject(t.Context(), prefix+"fence")
	if err != nil {
		t.Fatal(err)
	}
	l.cut()
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := h.Commit(soon, values("t", "a", "late")); err == nil {
		t.Fatal("it was confirmed")
	}
	l.drop() // what was held up is lost, or on its way by another server
	l.mend()
	for ctx := within(t, 20*time.Second); ; {
		if err := h.Commit(ctx, values("t", "a", "new")); err == nil {
			break
		} else if ctx.Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	m := natsgo.NewMsg(prefix + "tt.ka")
	m.Data = []byte("late")
	m.Header.Set("Nats-Expected-Last-Subject-Sequence", fmt.Sprint(fence.Sequence))
	m.Header.Set("Nats-Expected-Last-Subject-Sequence-Subject", prefix+"fence")
	answer, err := nc.RequestMsgWithContext(within(t, 10*time.Second), m)
	if err != nil || !strings.Contains(string(answer.Data), "wrong last sequence") {
		t.Errorf("the late write is answered with %s, %v", answer.Data, err)
	}
	expectLoaded(t, h, "t", "map[a:new x:]")
}

// The connection is made again after an error of the server that ends it for the client.
func TestUnknownErrorOfTheServer(t *testing.T) {
	s := openState(t, start(t, nil).ClientURL(), 1)
	h := take(t, s, "p", 1)
	s.client.Load().Close() // as the client does then
	for ctx := within(t, 20*time.Second); ; time.Sleep(10 * time.Millisecond) {
		if err := h.Commit(ctx, values("t", "b", "3")); err == nil {
			return
		} else if ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}

func TestOptionsAreTaken(t *testing.T) {
	srv := start(t, func(o *server.Options) { o.Username, o.Password = "me", "secret" })
	config := Config{URL: srv.ClientURL(), Bucket: bucket, Replicas: 1,
		Options: []natsgo.Option{natsgo.UserInfo("me", "secret")}}
	s, err := Open(within(t, 10*time.Second), config)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	config.Options = nil
	if _, err := Open(within(t, time.Second), config); err == nil {
		t.Error("it was opened without a password")
	}
}

// Who waits for the servers is told why, once.
func TestOpenSaysWhatItWaitsFor(t *testing.T) {
	away := freeAddress(t)
	locked := start(t, func(o *server.Options) { o.Username, o.Password = "me", "secret" })
	without := start(t, func(o *server.Options) { o.JetStream = false })
	const connect = `level=WARN msg="the shared state cannot connect; will try again" error=`
	for name, test := range map[string]struct{ url, want string }{
		"nobody":   {"nats://" + away, connect + `"dial tcp ` + away + `: connect: connection refused"`},
		"password": {locked.ClientURL(), connect + `"nats: Authorization Violation"`},
		"no JetStream": {without.ClientURL(), `level=WARN msg="the stream of the shared state is not there yet; will try again" stream=KV_state ` +
			`error="no server answers for the stream: it may have no majority, or no server has JetStream"`},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			s, err := Open(within(t, 2*time.Second), Config{URL: test.url, Bucket: bucket, Replicas: 1,
				Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{
					ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
						if a.Key == slog.TimeKey {
							return slog.Attr{}
						}
						return a
					}}))})
			if err == nil {
				s.Close()
				t.Fatal("it was opened")
			}
			if got := log.String(); got != test.want+"\n" {
				t.Errorf("got  %swant %s", got, test.want)
			}
		})
	}
}
