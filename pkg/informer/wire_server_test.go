package informer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/pkg/informer/internal/wire"
)

const retryLimit = backoff.MaxRetryAfter + time.Second

type frame struct {
	version int
	text    string
}

// mood is how one request is answered. Not all of it has a meaning for each sort of request.
type mood struct {
	refusal string
	delay   time.Duration // with the refusal, asked for by Retry-After
	stream  string        // what a streamed list is
	end     string        // how the answer ends
	frames  int           // the frames before that
	within  time.Duration // at the latest, 0: when the client's time is over
	extras  string        // b, d, x: bookmarks, duplicates, broken objects
}

func drawMood(t *rapid.T) mood {
	often := func(name string, good string, others ...string) string {
		if rapid.Bool().Draw(t, "good "+name) {
			return good
		}
		return rapid.SampledFrom(others).Draw(t, name)
	}
	return mood{
		refusal: often("refusal", "", "refused", "lost", "hangs", "408", "410", "429", "500", "502",
			"503", "504", "large", "401", "403", "404", "422"),
		delay: time.Duration(rapid.SampledFrom([]int{0, 0, 0, 1, 30, 1 << 20}).Draw(t,
			"retry after")) * time.Second,
		stream: rapid.SampledFrom([]string{"", "", "unknown", "ignored", "ignored"}).Draw(t,
			"stream"),
		end: often("end", "", "clean", "lost", "reset", "half", "410", "429", "500", "503",
			"garbage", "type", "dead"),
		frames: rapid.IntRange(0, 4).Draw(t, "frames"),
		within: rapid.SampledFrom([]time.Duration{0, 0, 100 * time.Millisecond, 5 * time.Second,
			40 * time.Second}).Draw(t, "within"),
		extras: rapid.SampledFrom([]string{"", "", "b", "d", "x", "bdx"}).Draw(t, "extras"),
	}
}

type wireState struct{ uid, version string }

// wireServer is an API server of one resource. What it sends is always true, however badly.
type wireServer struct {
	mu        sync.Mutex
	version   int
	compacted int
	current   map[string]wireState
	history   []frame
	changed   chan struct{}
	truth     map[string][]string // the states of each object
	uids      int

	moods    []mood
	next     int
	churn    bool
	asked    []wireRequest
	reasons  int // how often it had a reason for a new list
	failures int // watches that it failed at for now, or ended at once
}

type wireRequest struct {
	at   time.Time
	what string
}

// begin makes it behave in a way; nil is well.
func (s *wireServer) begin(moods []mood, churn bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moods, s.next, s.churn = moods, 0, churn
}

func (s *wireServer) change(c wireChange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.apply(c)
}

// apply makes a change. The caller holds mu.
func (s *wireServer) apply(c wireChange) {
	now, exists := s.current[c.name]
	if c.remove && !exists {
		return
	}
	s.version++
	version, typ := strconv.Itoa(100+s.version), "MODIFIED"
	switch {
	case c.remove:
		typ = "DELETED"
		delete(s.current, c.name)
		s.truth[c.name] = append(s.truth[c.name], now.uid+"@gone")
	case !exists:
		s.uids++
		now.uid, typ = fmt.Sprint("u", s.uids), "ADDED"
	}
	if !c.remove {
		s.current[c.name] = wireState{now.uid, version}
		s.truth[c.name] = append(s.truth[c.name], now.uid+"@"+version)
	}
	s.history = append(s.history,
		frame{100 + s.version,
			fmt.Sprintf(`{"type":%q,"object":%s}`+"\n", typ,
				podText(c.name, now.uid, 100+s.version, ""))})
	if c.compact {
		s.compacted = 100 + s.version
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// mood is the next request's. The caller holds mu.
func (s *wireServer) mood(what string) mood {
	var m mood
	if len(s.moods) > 0 {
		m = s.moods[s.next%len(s.moods)]
		s.next++
	}
	s.asked = append(s.asked, wireRequest{time.Now(), fmt.Sprintf("%s: %+v", what, m)})
	return m
}

// refuse answers a request that the mood refuses, and waits if it hangs. The caller does not hold
// mu.
func (m mood) refuse(ctx context.Context) error {
	var err error
	switch m.refusal {
	case "":
		return nil
	case "refused":
		return &netError{syscall.ECONNREFUSED}
	case "lost":
		return errors.New("http2: client connection lost")
	case "hangs":
		<-ctx.Done()
		return ctx.Err()
	case "410":
		err = expired()
	case "large":
		err = tooLarge()
	case "403":
		err = forbidden()
	case "404":
		err = notFound()
	default:
		code, _ := strconv.Atoi(m.refusal)
		err = statusOf(code)
	}
	if m.delay > 0 {
		err = &backoff.RetryAfterError{Err: err, Delay: min(m.delay, backoff.MaxRetryAfter)}
	}
	return err
}

func (s *wireServer) List(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	s.mu.Lock()
	if opts.Limit == 1 { // for the version alone
		defer s.mu.Unlock()
		return body(fmt.Sprintf(`{"metadata":{"resourceVersion":"%d"}}`, 100+s.version)), nil
	}
	m := s.mood("list at " + opts.ResourceVersion)
	s.mu.Unlock()
	if err := m.refuse(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var items []string
	for name, now := range s.current {
		version, _ := strconv.Atoi(now.version)
		items = append(items, podText(name, now.uid, version, ""))
	}
	if strings.Contains(m.extras, "x") {
		items = append(items, `{"metadata":{}}`)
	}
	text := fmt.Sprintf(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[%s]}`, 100+s.version, strings.Join(items, ","))
	switch m.end {
	case "", "clean", "410", "429", "500", "503":
		return body(text), nil
	case "dead":
		return io.NopCloser(io.MultiReader(strings.NewReader(text[:len(text)/2]), &quietBody{ctx})),
			nil
	case "garbage":
		return body(text[:len(text)-1] + "<"), nil
	default:
		return body(text[:len(text)/2]), nil
	}
}

func (s *wireServer) Watch(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	s.mu.Lock()
	what := "watch"
	if opts.SendInitialEvents != nil {
		what = "streamed list"
	}
	m := s.mood(what + " at " + opts.ResourceVersion)
	s.mu.Unlock()
	err := m.refuse(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if opts.SendInitialEvents != nil {
		if err == nil && m.stream == "unknown" {
			err = statusOf(422)
		}
		if err != nil {
			return nil, err
		}
		return s.newStream(ctx, opts, m, s.initial(m)), nil
	}
	if err != nil {
		s.judge(err)
		return nil, err
	}
	const hot = 2000 // by then the test has failed
	if s.churn && len(s.asked) < hot {
		s.apply(wireChange{name: "a"})
	}
	version, _ := strconv.Atoi(opts.ResourceVersion)
	if version < s.compacted {
		s.reasons++
		return nil, expired()
	}
	w := s.newStream(ctx, opts, m, nil)
	w.version = version
	return w, nil
}

// judge counts what a refused watch may lead to. The caller holds mu.
func (s *wireServer) judge(err error) {
	switch {
	case wire.IsBusy(err) || wire.IsNoAnswer(err):
	case wire.IsTransient(err):
		s.failures++
	default:
		s.reasons++
	}
}

// initial are the frames of a streamed list. The caller holds mu.
func (s *wireServer) initial(m mood) []string {
	var frames []string
	for name, now := range s.current {
		version, _ := strconv.Atoi(now.version)
		frames = append(frames,
			fmt.Sprintf(`{"type":"ADDED","object":%s}`+"\n", podText(name, now.uid, version, "")))
	}
	slices.Sort(frames)
	if m.stream != "ignored" {
		frames = append(frames, (&fakeServer{version: 100 + s.version}).endOfList())
	}
	return frames
}

// newStream begins to answer a watch. The caller holds mu.
func (s *wireServer) newStream(ctx context.Context, opts metav1.ListOptions, m mood,
	initial []string) *wireStream {
	w := &wireStream{ctx: ctx, server: s, mood: m, version: 100 + s.version, initial: initial,
		begun: time.Now(), listing: opts.SendInitialEvents != nil}
	w.until = w.begun.Add(time.Duration(*opts.TimeoutSeconds) * time.Second)
	if m.within > 0 && m.end != "" {
		w.until = w.begun.Add(m.within)
	}
	return w
}

// wireStream is the body of a watch or a streamed list.
type wireStream struct {
	ctx     context.Context
	server  *wireServer
	mood    mood
	version int
	initial []string
	listing bool // it is a streamed list that has not come to its end
	begun   time.Time
	until   time.Time
	sent    int
	rest    bytes.Buffer
	ended   error
}

func (w *wireStream) Close() error { return nil }

func (w *wireStream) Read(p []byte) (int, error) {
	for w.rest.Len() == 0 {
		if w.ended != nil {
			return 0, w.ended
		}
		if err := w.turn(); err != nil {
			return 0, err
		}
	}
	return w.rest.Read(p)
}

// turn puts the next frame or the end into rest, or waits for one.
func (w *wireStream) turn() error {
	m := w.mood
	w.server.mu.Lock()
	next, changed := w.frame(), w.server.changed
	over := m.end != "" && w.sent >= m.frames && m.within == 0 || !time.Now().Before(w.until)
	w.server.mu.Unlock()
	switch {
	case over && m.end == "dead":
		<-w.ctx.Done()
		return w.ctx.Err()
	case over:
		w.end()
	case next != "":
		w.sent++
		w.rest.WriteString(next)
		if strings.Contains(m.extras, "d") {
			w.rest.WriteString(next)
		}
		if strings.Contains(m.extras, "x") {
			w.rest.WriteString(
				`{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{}}}` +
					"\n")
		}
		if strings.Contains(m.extras, "b") && !w.listing {
			w.rest.WriteString(bookmarkFrame(w.version) + "\n")
		}
	default:
		timer := time.NewTimer(time.Until(w.until))
		defer timer.Stop()
		select {
		case <-changed:
		case <-timer.C:
		case <-w.ctx.Done():
			return w.ctx.Err()
		}
	}
	return nil
}

// frame is the next one, "" if there is none. The caller holds mu.
func (w *wireStream) frame() string {
	if len(w.initial) > 0 {
		if w.mood.end != "" && w.sent >= w.mood.frames && w.mood.within == 0 {
			return ""
		}
		f := w.initial[0]
		w.initial = w.initial[1:]
		w.listing = w.mood.stream == "ignored" || !strings.Contains(f, "initial-events-end")
		return f
	}
	for _, f := range w.server.history {
		if f.version > w.version {
			w.version = f.version
			return f.text
		}
	}
	return ""
}

// end ends the stream in the mood's way.
func (w *wireStream) end() {
	w.server.mu.Lock()
	defer w.server.mu.Unlock()
	w.ended = io.EOF
	reason := false
	switch w.mood.end {
	case "lost":
		w.ended = errors.New("http2: client connection lost")
	case "reset":
		w.ended = errors.New("stream error: stream ID 7; INTERNAL_ERROR; received from peer")
	case "half":
		w.rest.WriteString(`{"type":"MODIFIED","object":{"kind":"Po`)
	case "410":
		w.rest.WriteString(errorFrame(410, metav1.StatusReasonExpired))
		reason = true
	case "429":
		w.rest.WriteString(errorFrame(429, metav1.StatusReasonTooManyRequests))
	case "500":
		w.rest.WriteString(errorFrame(500, metav1.StatusReasonInternalError))
		reason = true
	case "503":
		w.rest.WriteString(errorFrame(503, metav1.StatusReasonServiceUnavailable))
	case "garbage":
		w.rest.WriteString("<html>\n")
		reason = true
	case "type":
		w.rest.WriteString(`{"type":"GUESS","object":{}}` + "\n")
		reason = true
	}
	if w.listing {
		return // of no watch
	}
	if reason {
		w.server.reasons++
	} else {
		w.server.failures++ // if it was short; more is no harm to count
	}
}
