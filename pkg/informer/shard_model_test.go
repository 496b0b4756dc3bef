package informer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/watchlog"
	"github.com/informerd/informerd/pkg/informer/event"
)

// shardServer is an API server of one resource in several namespaces that may select shards. It is
// a Cluster and a ListWatcher.
type shardServer struct {
	mu        sync.Mutex
	version   int
	live      map[string]string // the text of each object, by namespace and name
	log       *watchlog.Log
	compacted int
	streams   bool
	selects   func() bool // the next request's shard
	echo      string      // instead of the selector that was asked for
	refuses   bool        // any selector
	asked     []metav1.ListOptions
	pause     time.Duration // before each frame
}

func newShardServer() *shardServer {
	return &shardServer{version: 100, live: map[string]string{}, log: watchlog.New()}
}

func (s *shardServer) ListWatcher(Resource, Scope) ListWatcher { return s }

// set changes an object; a uid of "" removes it.
func (s *shardServer) set(namespace, name, uid string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := namespace + "/" + name
	old, exists := s.live[key]
	var was decodedThing
	_ = json.Unmarshal([]byte(old), &was)
	send := func(typ, uid string) {
		s.version++
		s.live[key] = fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":%q,"uid":%q,"resourceVersion":"%d"}}`,
			name, namespace, uid, s.version)
		s.log.Add(s.version, fmt.Sprintf(`{"type":%q,"object":%s}`+"\n", typ, s.live[key]))
	}
	switch {
	case exists && uid == was.Metadata.UID:
		send("MODIFIED", uid)
		return
	case exists:
		send("DELETED", was.Metadata.UID)
		delete(s.live, key)
	}
	if uid != "" {
		send("ADDED", uid)
	}
}

// disconnect ends all watches; compact makes the next ones fail with 410.
func (s *shardServer) disconnect(compact bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if compact {
		s.version++
		s.compacted = s.version
	}
	s.log.Cut()
}

// selection returns what a request gets of the objects. The caller holds mu.
func (s *shardServer) selection(opts metav1.ListOptions) (has func(text string) bool, by string) {
	s.asked = append(s.asked, opts)
	from, to, ok := rangeOf(opts.ShardSelector)
	if !ok || !s.selects() {
		return func(string) bool { return true }, ""
	}
	if by = opts.ShardSelector; s.echo != "" {
		by = s.echo
		from, to, _ = rangeOf(by)
	}
	return func(text string) bool {
		var d decodedThing
		_ = json.Unmarshal([]byte(text), &d)
		return selects(from, to, d.Metadata.UID)
	}, by
}

// refusal is how an API server answers a selector that it cannot read.
func (s *shardServer) refusal(opts metav1.ListOptions) error {
	if !s.refuses || opts.ShardSelector == "" {
		return nil
	}
	return apierrors.NewInternalError(errors.New("invalid shard selector: unsupported function"))
}

func (s *shardServer) List(_ context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refusal(opts); err != nil {
		return nil, err
	}
	has, by := s.selection(opts)
	var items []string
	for _, key := range slices.Sorted(maps.Keys(s.live)) {
		if has(s.live[key]) {
			items = append(items, s.live[key])
		}
	}
	info := ""
	if by != "" {
		info = fmt.Sprintf(`,"shardInfo":{"selector":%q}`, by)
	}
	return io.NopCloser(strings.NewReader(fmt.Sprintf(
		`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%d"%s},"items":[%s]}`,
		s.version, info, strings.Join(items, ",")))), nil
}

func (s *shardServer) Watch(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refusal(opts); err != nil {
		return nil, err
	}
	if opts.SendInitialEvents != nil && !s.streams {
		return nil, apierrors.NewInvalid(schema.GroupKind{}, "", nil)
	}
	has, _ := s.selection(opts)
	from, _ := strconv.Atoi(opts.ResourceVersion)
	begin := ""
	if opts.SendInitialEvents != nil {
		from = s.version
		for _, text := range s.live {
			begin += fmt.Sprintf(`{"type":"ADDED","object":%s}`+"\n", text)
		}
		begin += (&fakeServer{version: s.version}).endOfList()
	} else if from < s.compacted {
		return nil, apierrors.NewResourceExpired("too old resource version")
	}
	body := s.log.Watch(ctx, from, begin)
	return &selectedBody{ReadCloser: body, lines: bufio.NewReader(body), has: has,
		pause: s.pause}, nil
}

// selectedBody leaves frames out of a watch.
type selectedBody struct {
	io.ReadCloser
	lines *bufio.Reader
	has   func(text string) bool
	pause time.Duration
	rest  string
}

func (b *selectedBody) Read(p []byte) (int, error) {
	for b.rest == "" {
		time.Sleep(b.pause)
		line, err := b.lines.ReadString('\n')
		if err != nil {
			return 0, err
		}
		text := strings.TrimSuffix(line[strings.Index(line, `"object":`)+len(`"object":`):], "}\n")
		if strings.Contains(line, `"BOOKMARK"`) || b.has(text) {
			b.rest = line
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// parts returns the versions of the objects that there are, by shard.
func (s *shardServer) parts(by ShardKey, count int) []map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	parts := make([]map[string]string, count)
	for i := range parts {
		parts[i] = map[string]string{}
	}
	for key, text := range s.live {
		var d decodedThing
		_ = json.Unmarshal([]byte(text), &d)
		m := d.Metadata
		parts[partOf(by, count, m.Namespace, m.Name, m.UID)][key] = m.UID + "@" + m.ResourceVersion
	}
	return parts
}

// shardLedger is what the subscription of a shard believes.
type shardLedger map[string]string

func (l shardLedger) HandleEvent(_ context.Context, e event.Event) error {
	key := e.Object.Namespace() + "/" + e.Object.Name()
	if delete(l, key); e.Op != event.Delete {
		l[key] = e.Object.UID() + "@" + e.Object.ResourceVersion()
	}
	return nil
}

// TestShardsModel: the informers of all shards together have each object of a server once and its
// deletes, though the server selects shards with one request and not with the next. Where nothing
// else asks for it, no new list comes.
func TestShardsModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		by := rapid.SampledFrom([]ShardKey{ByNamespace, ByObject}).Draw(rt, "by")
		count := rapid.IntRange(1, 5).Draw(rt, "count")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "selects"), 0))
		streams := rapid.Bool().Draw(rt, "streams")
		steps := rapid.SliceOfN(rapid.IntRange(0, 99), 1, 60).Draw(rt, "steps")
		synctest.Test(t, func(t *testing.T) {
			server := newShardServer()
			server.streams, server.selects = streams, func() bool { return random.IntN(2) == 0 }
			ctx, cancel := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			shards := make([]*informer, count)
			told := make([]shardLedger, count)
			compacted, uids := false, 0
			change := func(i int) {
				uid := ""
				if i%3 > 0 { // as it is, or another one
					uids += i % 2
					uid = fmt.Sprint(i%7, "-", uids/10, "-of-an-object")
				}
				server.set(fmt.Sprint("team-", i%5), string(rune('a'+i%4)), uid)
			}
			for _, i := range steps[:len(steps)/2] {
				change(i)
			}
			for i := range shards {
				inf, err := newInformer(server, pods, Scope{Shard: Shard{by, i, count}}, Shape{}, nil)
				if err != nil {
					rt.Fatal(err)
				}
				sub, err := NewSubscription(SubscriptionConfig{})
				if err != nil {
					rt.Fatal(err)
				}
				inf.join(sub)
				shards[i], told[i] = inf, shardLedger{}
				wg.Go(func() { inf.run(ctx) })
				wg.Go(func() { _ = sub.Run(ctx, told[i].HandleEvent) })
			}
			for _, i := range steps {
				switch {
				case i >= 95:
					server.disconnect(true)
					compacted = true
				case i >= 80:
					server.disconnect(false)
				case i >= 75:
					synctest.Wait()
				default:
					change(i)
				}
				if i%11 == 0 {
					time.Sleep(time.Duration(i) * time.Second)
				}
			}
			time.Sleep(10 * time.Minute)
			synctest.Wait()
			cancel()
			wg.Wait()
			for i, want := range server.parts(by, count) {
				stored := shardLedger{}
				for _, o := range shards[i].store.List() {
					stored[o.Namespace()+"/"+o.Name()] = o.UID() + "@" + o.ResourceVersion()
				}
				s := shards[i].Status()
				if !maps.Equal(stored, want) || !maps.Equal(told[i], want) {
					rt.Errorf("shard %s stores %v and has told %v, want %v", s.Scope.Shard, stored,
						told[i], want)
				}
				if !compacted && s.Lists != 1 || s.Skipped > 0 {
					rt.Errorf("%d lists, %d skipped, for %v", s.Lists, s.Skipped, s.Relists)
				}
			}
		})
	})
}

// runShard runs the informer of a shard against a server, and f once it has synced.
func runShard(t *testing.T, s Shard, server *shardServer, log *slog.Logger,
	f func(inf *informer)) {
	synctest.Test(t, func(t *testing.T) {
		server.log = watchlog.New() // its channels are the bubble's
		inf, err := newInformer(server, pods, Scope{Shard: s}, Shape{}, log)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { inf.run(ctx) })
		time.Sleep(time.Minute)
		synctest.Wait()
		f(inf)
		cancel()
		wg.Wait()
	})
}

// A watch goes on behind the events of other shards, so that their number does not make it expire.
func TestForeignEventsAdvanceTheVersion(t *testing.T) {
	server := newShardServer()
	server.selects = func() bool { return false }
	runShard(t, Shard{ByObject, 0, 2}, server, nil, func(inf *informer) {
		foreign := uint64(0)
		for i := range 20 {
			uid := fmt.Sprint(i, "-of-an-object")
			server.set("shop", uid, uid)
			if !inf.scope.Shard.Has("shop", uid, uid) {
				foreign++
			}
			synctest.Wait()
			if s := inf.Status(); s.Foreign != foreign || s.ResourceVersion != fmt.Sprint(101+i) ||
				s.Events != uint64(i+1)-foreign {
				t.Errorf("%d of %d are foreign: %+v", foreign, i+1, s)
			}
		}
		server.disconnect(false)
		time.Sleep(time.Minute)
		synctest.Wait()
		if last := server.asked[len(server.asked)-1]; last.ResourceVersion != "120" {
			t.Errorf("watched on from %+v", last)
		}
	})
}

// A streamed list goes on as long as objects come, though they are all foreign.
func TestAStreamedListOfForeignObjects(t *testing.T) {
	server := newShardServer()
	server.streams, server.selects, server.pause = true, func() bool { return false }, 15*time.Second
	for i := 0; len(server.live) < 5; i++ {
		if name := fmt.Sprint(i, "-of-an-object"); !(Shard{ByObject, 0, 2}).Has("", "", name) {
			server.set("shop", name, name)
		}
	}
	runShard(t, Shard{ByObject, 0, 2}, server, nil, func(inf *informer) {
		time.Sleep(time.Minute)
		if s := inf.Status(); !s.Synced || s.Lists != 1 || s.Watches != 1 || s.Foreign != 5 {
			t.Errorf("%+v", s)
		}
	})
}

// A list of pages, or the answer about the server's version, says what the server has selected. If
// it is not what it was asked for, the informer lists again and asks for everything.
func TestAServerThatSelectsAnotherShard(t *testing.T) {
	for _, streams := range []bool{false, true} { // a streamed list does not say it
		t.Run(fmt.Sprint("streams ", streams), func(t *testing.T) {
			server := newShardServer()
			server.streams, server.selects = streams, func() bool { return true }
			for i := range 20 {
				server.set("shop", fmt.Sprint("a", i), fmt.Sprint(i, "-of-an-object"))
			}
			own := server.parts(ByObject, 2)[0]
			var lines strings.Builder
			runShard(t, Shard{ByObject, 0, 2}, server,
				slog.New(slog.NewTextHandler(&lines, nil)), func(inf *informer) {
					s := inf.Status()
					if s.Objects != len(own) || s.Foreign != 0 && !streams {
						t.Errorf("%+v", s)
					}
					server.echo = Shard{ByObject, 1, 2}.selector()
					server.disconnect(!streams)
					time.Sleep(10 * time.Minute)
					synctest.Wait()
					s = inf.Status()
					if s.Objects != len(own) || s.Lists != 2 || s.Err != nil {
						t.Errorf("%+v", s)
					}
					if last := server.asked[len(server.asked)-1]; last.ShardSelector != "" {
						t.Errorf("%+v", last)
					}
				})
			if strings.Count(lines.String(), "does not select the shard") != 1 {
				t.Errorf("%s", lines.String())
			}
		})
	}
}

// A server that cannot read the selector is asked for everything.
func TestAServerThatRefusesTheSelector(t *testing.T) {
	for _, streams := range []bool{false, true} {
		server := newShardServer()
		server.streams, server.refuses = streams, true
		server.selects = func() bool { return false }
		for i := range 20 {
			server.set("shop", fmt.Sprint("a", i), fmt.Sprint(i, "-of-an-object"))
		}
		own := server.parts(ByObject, 2)[0]
		runShard(t, Shard{ByObject, 0, 2}, server, nil, func(inf *informer) {
			if s := inf.Status(); s.Objects != len(own) || s.Foreign != uint64(20-len(own)) || s.Err != nil {
				t.Errorf("streams: %t: %+v", streams, s)
			}
		})
	}
}
