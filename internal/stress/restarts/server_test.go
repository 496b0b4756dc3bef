package restarts

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// server is an API server of pods. What it does of its own accord belongs to the present life of
// the child: requests of those before fail.
type server struct {
	url, address string

	mu        sync.Mutex
	rand      *rand.Rand
	version   int
	pods      map[string]*pod
	history   []change
	objects   map[string][]change // the same, by object
	compacted int                 // watches from older versions have expired
	more      chan struct{}       // closed at the next change or fault
	running   *http.Server        // nil while connections are refused
	serving   sync.WaitGroup

	life      *life
	next      map[string][]string // faults of the next requests, by the kind of request
	inStream  []string            // faults of watches that have begun
	streams   bool                // lists
	pages     bool                // lists come in pages
	bookmarks bool
	awaits    atomic.Bool   // a streamed list waits for a change
	slow      time.Duration // answers, at most
	killIn    string        // a part of a list, after which the child is killed
	excused   bool          // something was sent after which a list may follow
	pinned    map[int][]*pod
	requests  map[string]int // of the life, by their kind
	lists     []int          // lives that have listed
	windows   []window
	mayNot    []string       // lists that should not have come
	whole     int            // the beat at which the life has got a list, 0 if it has none
	synced    int            // the first life whose checkpoint has a list for sure, 0 if none has
	tally     map[string]int // faults
	answered  map[string]int // requests of all lives
}

func newServer(t *testing.T, seed uint64) *server {
	s := &server{version: 100, pods: map[string]*pod{}, objects: map[string][]change{},
		more: make(chan struct{}), rand: rand.New(rand.NewPCG(seed, 4)),
		next: map[string][]string{}, requests: map[string]int{}, tally: map[string]int{},
		answered: map[string]int{}, pinned: map[int][]*pod{}}
	s.listen(t, "127.0.0.1:0")
	t.Cleanup(func() { s.refuse(); s.serving.Wait() })
	s.url = "http://" + s.address
	return s
}

// listen accepts connections.
func (s *server) listen(t *testing.T, address string) {
	var l net.Listener
	var err error
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		// The port may be that of somebody's connection for a while.
		if l, err = net.Listen("tcp", address); err == nil {
			break
		} else if time.Now().After(deadline) {
			t.Error(err)
			return
		}
	}
	h := &http.Server{Handler: s}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.address, s.running = l.Addr().String(), h
	s.serving.Go(func() { _ = h.Serve(l) })
}

// refuse ends all connections, and refuses new ones until listen is called.
func (s *server) refuse() {
	s.mu.Lock()
	h := s.running
	s.running = nil
	s.mu.Unlock()
	if h != nil {
		_ = h.Close()
	}
}

// accept ends a refusal.
func (s *server) accept(t *testing.T) {
	s.mu.Lock()
	running := s.running != nil
	s.mu.Unlock()
	if !running {
		s.listen(t, s.address)
	}
}

// begin begins a life of the child.
func (s *server) begin(l *life) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.life, s.excused, s.requests = l, false, map[string]int{}
	s.pinned, s.whole = map[int][]*pod{}, 0
}

// end ends it.
func (s *server) end(l *life) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.synced == 0 && s.whole > 0 && l.safe() > s.whole {
		s.synced = l.number
	}
	s.life, s.slow, s.killIn = nil, 0, ""
}

// listedSince reports whether there was a list after the end of a life.
func (s *server) listedSince(life int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.lists, func(l int) bool { return l > life })
}

// window is what has happened around a kill, and is in no checkpoint for sure.
type window struct {
	life     int
	from, to int // versions
}

// forgets notes a kill.
func (s *server) forgets(w window) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.windows = append(s.windows, w)
}

// missed reports whether an object was created around a kill, after which there was a list, and
// not the history.
func (s *server) missed(uid string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.windows, func(w window) bool {
		return created(uid) > w.from && created(uid) <= w.to &&
			slices.ContainsFunc(s.lists, func(life int) bool { return life > w.life })
	})
}

// requested returns the requests of the last life.
func (s *server) requested() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return listed(s.requests)
}

const discovered = `{"kind":"APIResourceList","groupVersion":"v1","resources":[
{"name":"pods","singularName":"","namespaced":true,"kind":"Pod","verbs":["get","list","watch"]}]}`

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	current := s.life != nil && r.UserAgent() == fmt.Sprint("informerd/", s.life.number)
	pause := time.Duration(0)
	if s.slow > 0 {
		s.tally["slow answer"]++
		pause = rand.N(s.slow)
	}
	s.mu.Unlock()
	if !current {
		panic(http.ErrAbortHandler)
	}
	select {
	case <-time.After(pause):
	case <-r.Context().Done():
		return
	}
	w.Header().Set("Content-Type", "application/json")
	answer := func(text string) { _, _ = w.Write([]byte(text)) }
	switch r.URL.Path {
	case "/api":
		answer(`{"kind":"APIVersions","versions":["v1"]}`)
	case "/apis":
		answer(`{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`)
	case "/api/v1":
		answer(discovered)
	case "/api/v1/pods":
		s.answer(w, r)
	default:
		w.WriteHeader(http.StatusNotFound)
		answer(status(http.StatusNotFound, "NotFound"))
	}
}

func status(code int, reason string) string {
	return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,`+
		`"message":"the server fails","code":%d}`, reason, code)
}

// answer answers a list or a watch.
func (s *server) answer(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	kind := "list"
	switch {
	case query.Get("sendInitialEvents") == "true":
		kind = "streamed list"
	case query.Has("watch"):
		kind = "watch"
	case query.Has("continue"):
		kind = "page"
	case query.Get("limit") == "1": // for the version alone
		kind = "list of one"
	}
	version, _ := strconv.Atoi(query.Get("resourceVersion"))
	if query.Has("labelSelector") {
		s.others(w, r, kind, version)
		return
	}
	if s.fails(w, kind) {
		return
	}
	switch kind {
	case "watch":
		s.watch(w, r, version)
	case "streamed list":
		s.streamedList(w, r)
	default:
		s.list(w, r, query.Get("continue"))
	}
}

// others answers the informer of the control, whose selector selects all. Nothing fails.
func (s *server) others(w http.ResponseWriter, r *http.Request, kind string, version int) {
	s.mu.Lock()
	expired := version < s.compacted
	s.mu.Unlock()
	switch {
	case kind == "streamed list":
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = w.Write([]byte(status(http.StatusUnprocessableEntity, "Invalid")))
		return
	case kind != "watch":
		all, version := s.snapshot()
		_, _ = w.Write([]byte(listOf(all, metadata(version, ""), false)))
		return
	case expired:
		w.WriteHeader(http.StatusGone)
		_, _ = w.Write([]byte(status(http.StatusGone, "Expired")))
		return
	}
	for {
		changes, more := s.after(version)
		for _, c := range changes {
			_, _ = w.Write([]byte(c.frame()))
			version = c.version
		}
		w.(http.Flusher).Flush()
		select {
		case <-more:
		case <-r.Context().Done():
			return
		}
	}
}

// watch sends what happens after a version.
func (s *server) watch(w http.ResponseWriter, r *http.Request, version int) {
	if expired, asEvent := s.forgotten(version); expired {
		if !asEvent {
			w.WriteHeader(http.StatusGone)
			_, _ = w.Write([]byte(status(http.StatusGone, "Expired")))
			return
		}
		_, _ = w.Write([]byte(frame("ERROR", status(http.StatusGone, "Expired"))))
		return
	}
	s.follow(w, r, version)
}

// forgotten reports whether a watch from a version has expired, and whether it is to be told so by
// an event.
func (s *server) forgotten(version int) (expired, asEvent bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if version >= s.compacted {
		return false, false
	}
	s.tally["watch of a version the server has forgotten"]++
	s.excused = true
	return true, s.rand.IntN(2) == 0
}

// follow sends what happens after a version, until there is a fault.
func (s *server) follow(w http.ResponseWriter, r *http.Request, version int) {
	send := func(text string) { _, _ = w.Write([]byte(text)) }
	for {
		changes, more := s.after(version)
		for _, c := range changes {
			if fault := s.takeInStream(); fault != "" && s.spoil(w, r, c, fault) {
				return
			}
			send(c.frame())
			version = c.version
		}
		if fault := s.takeInStream(); fault != "" && s.spoil(w, r, change{}, fault) {
			return
		}
		if s.sendsBookmark() {
			send(bookmark(version, false))
		}
		w.(http.Flusher).Flush()
		select {
		case <-more:
		case <-r.Context().Done():
			return
		}
	}
}

func (s *server) sendsBookmark() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.bookmarks || s.rand.IntN(4) > 0 {
		return false
	}
	s.tally["bookmark"]++
	return true
}

// snapshot returns the objects in the order of their names, and their version.
func (s *server) snapshot() (all []*pod, version int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pods {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *pod) int { return strings.Compare(a.key(), b.key()) })
	return all, s.version
}
