package restarts

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// weather is how often in a thousand a receiver fails, in each way.
type weather struct{ fails, resetsBefore, resetsAfter, slow, held int }

var (
	calm  = weather{}
	rough = weather{fails: 100, resetsBefore: 30, resetsAfter: 50, slow: 100, held: 20}
	storm = weather{fails: 500, resetsBefore: 50, resetsAfter: 100, held: 50}
	thick = weather{slow: 600, held: 200}
)

// receivers are webhooks, one for each path.
type receivers struct {
	url string

	mu      sync.Mutex
	rand    *rand.Rand
	life    int   // the present one
	beat    int   // the last one of the life that has come
	at      []int // the version of the server at each of them
	version func() int
	ledgers map[string][]*entry
	open    map[int]int // requests under way, by life
	requests
	newest int // version that the listener of everything has sent
	sky    map[string]weather
	traps  map[string]chan struct{} // closed by the next request, which is held
	tally  map[string]int           // what happened
}

func newReceivers(t *testing.T, seed uint64) *receivers {
	r := &receivers{rand: rand.New(rand.NewPCG(seed, 3)), ledgers: map[string][]*entry{},
		open: map[int]int{}, sky: map[string]weather{}, traps: map[string]chan struct{}{},
		tally: map[string]int{}}
	h := httptest.NewServer(r)
	t.Cleanup(h.Close)
	r.url = h.URL
	return r
}

// begin begins a life, 0 for none: what comes of others is too late, and taken by nobody.
func (r *receivers) begin(life int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.life = life; life > 0 {
		r.beat, r.at = 0, nil
	}
	r.requests = requests{}
	r.traps = map[string]chan struct{}{}
}

// trap has the next request to an output held until its sender has ended. The channel is closed
// when it has come.
func (r *receivers) trap(output string) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := make(chan struct{})
	r.traps[output] = c
	return c
}

// set sets the weather of some outputs, all if none are named.
func (r *receivers) set(w weather, outputs ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(outputs) == 0 {
		r.sky = map[string]weather{"": w}
	}
	for _, o := range outputs {
		r.sky[o] = w
	}
}

// draw decides what becomes of a request.
func (r *receivers) draw(output string) (what string, pause time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w, ok := r.sky[output]
	if !ok {
		w = r.sky[""]
	}
	n := r.rand.IntN(1000)
	for _, way := range []struct {
		what  string
		often int
		pause int // milliseconds, at most
	}{{"500", w.fails, 1}, {"reset before reading", w.resetsBefore, 1},
		{"reset after reading", w.resetsAfter, 1}, {"slow", w.slow, 20}, {"held", w.held, 300}} {
		if n -= way.often; n < 0 {
			r.tally[way.what]++
			return way.what, time.Duration(r.rand.IntN(way.pause*1000)) * time.Microsecond
		}
	}
	return "", 0
}

// reset ends a connection at once.
func reset(w http.ResponseWriter) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}

func (r *receivers) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	output := strings.TrimPrefix(q.URL.Path, "/")
	life, _ := strconv.Atoi(q.Header.Get("X-Life"))
	if output == beats {
		r.beats(life)
		return
	}
	r.count(life, 1)
	defer r.count(life, -1)
	what, pause := r.draw(output)
	if what == "reset before reading" {
		reset(w)
		return
	}
	text, err := io.ReadAll(q.Body)
	if err != nil {
		return
	}
	entries, trapped, err := r.add(output, life, text)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	ends := r.begins(output, entries, bytes.HasPrefix(text, []byte("[")))
	defer ends()
	if trapped {
		pause = patience
	}
	if pause > 0 {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-q.Context().Done():
			what = "gone"
		}
	}
	switch what {
	case "500":
		r.answer(entries, refused)
		w.WriteHeader(http.StatusInternalServerError)
	case "reset after reading":
		r.answer(entries, refused)
		reset(w)
	case "gone":
		r.answer(entries, refused)
	default:
		r.answer(entries, taken)
		w.WriteHeader(http.StatusOK)
	}
}

// beats counts a beat of a life's heart.
func (r *receivers) beats(life int) {
	version := r.version()
	r.mu.Lock()
	defer r.mu.Unlock()
	if life == r.life {
		r.beat++
		r.at = append(r.at, version)
		r.acknowledge(r.beat)
	}
}

// versionAt returns the version that the server had at a beat.
func (r *receivers) versionAt(beat int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if beat < 1 || beat > len(r.at) {
		return 0
	}
	return r.at[beat-1]
}

func (r *receivers) lastBeat() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.beat
}

func (r *receivers) count(life, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open[life] += n; r.open[life] == 0 {
		delete(r.open, life)
	}
}

// add adds the messages of a request to the ledger, unless the life is over.
func (r *receivers) add(output string, life int, text []byte) (entries []*entry, trapped bool,
	err error) {
	if !bytes.HasPrefix(text, []byte("[")) {
		text = []byte("[" + string(text) + "]")
	}
	var all []message
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, false, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if life != r.life {
		return nil, false, nil
	}
	for _, m := range all {
		e := &entry{message: m, life: life, received: time.Now(), beat: new(int)}
		entries = append(entries, e)
		if r.ledgers[output] = append(r.ledgers[output], e); output == everything {
			r.newest = max(r.newest, m.version())
		}
	}
	if c := r.traps[output]; c != nil {
		close(c)
		delete(r.traps, output)
		trapped = true
	}
	return entries, trapped, nil
}

func (r *receivers) answer(entries []*entry, o outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range entries {
		e.outcome, e.answered = o, time.Now()
	}
}

// quiet waits until no request of a life that is over is under way.
func (r *receivers) quiet(life int) bool {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		r.mu.Lock()
		open := r.open[life]
		r.mu.Unlock()
		if open == 0 {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

// ledger returns copies of an output's entries from the n-th on, up to the first one without an
// answer.
func (r *receivers) ledger(output string, n int) (all []entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.ledgers[output][n:] {
		if e.outcome == waiting {
			break
		}
		all = append(all, *e)
	}
	return all
}

func (r *receivers) heard() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.newest
}
