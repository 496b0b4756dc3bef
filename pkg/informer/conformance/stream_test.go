package conformance

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// stream is one watch that runs.
type stream struct {
	acts chan act
	// rests: everything was sent, and nothing more will happen before the next step. Guarded by
	// server.mu.
	rests bool
}

// act is what a stream sends next.
type act struct {
	frames []string
	play   play
	noEnd  bool // the client waits for the end of the list
}

// openStream registers a stream. The caller holds mu.
func (s *server) openStream() *stream {
	st := &stream{acts: make(chan act, 1)}
	s.open[st] = struct{}{}
	return st
}

// rested reports whether a client that rests does so because there is nothing left to ask and to
// hear.
func (s *server) rested() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for st := range s.open {
		if !st.rests {
			return false
		}
	}
	return len(s.open) == 1
}

func (s *server) setRests(st *stream, rests bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st.rests = rests
}

// serveStream sends until the stream ends: by a play, by the client, or because its time is over.
func (s *server) serveStream(w http.ResponseWriter, r *http.Request, conn *breakable, q url.Values,
	st *stream, first act) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.open, st)
	}()
	out := &sender{w: w, flush: http.NewResponseController(w).Flush}
	out.send("")
	seconds, _ := strconv.Atoi(q.Get("timeoutSeconds"))
	timeout := time.After(time.Duration(seconds) * time.Second)
	for a := first; ; {
		if s.perform(out, r, conn, a) {
			return
		}
		s.setRests(st, !a.noEnd)
		select {
		case a = <-st.acts:
			s.setRests(st, false)
		case <-timeout:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// sender writes frames as a server does: each is on its way before the next.
type sender struct {
	w     io.Writer
	flush func() error
	err   error
}

func (o *sender) send(text string) {
	if o.err == nil {
		_, o.err = io.WriteString(o.w, text)
	}
	if o.err == nil {
		o.err = o.flush()
	}
}

// perform plays one act and reports whether the stream has ended with it. It does not return from a
// break.
func (s *server) perform(out *sender, r *http.Request, conn *breakable, a act) (ended bool) {
	p := a.play
	frames := a.frames
	switch p.end {
	case endNever:
	case endCut:
		if p.bytes < size(frames) {
			s.count("stream: cut at a byte")
		} else {
			s.count("stream: connection closed without an end")
		}
		conn.breakAfter(p.bytes)
	default:
		frames = frames[:min(p.after, len(frames))]
	}
	for _, f := range frames {
		out.send(f)
	}
	if out.err != nil || p.end == endCut {
		_ = conn.Close()
		panic(http.ErrAbortHandler)
	}
	if p.end == endNever {
		return false
	}
	s.count("stream: " + endingNames[p.end])
	switch p.end {
	case endLater:
		select {
		case <-time.After(2 * time.Second):
		case <-r.Context().Done():
		}
	case endHalf:
		next := bookmark(1, false)
		if len(frames) < len(a.frames) {
			next = a.frames[len(frames)]
		}
		out.send(next[:1+p.bytes%(len(next)-3)]) // never all of it
	case endGone:
		out.send(errorFrame(expired))
	case endBusy:
		out.send(errorFrame(busy))
	case endBroken:
		out.send(errorFrame(broken))
	case endUnknown:
		out.send(watchFrame("PATCHED", thing{"a", "x", 99_999}.text(false)))
	case endNoJSON:
		out.send("<html>\n")
	}
	return true
}

func errorFrame(r refusal) string {
	text, err := json.Marshal(status(r))
	if err != nil {
		panic(err)
	}
	return watchFrame("ERROR", string(text))
}

func size(frames []string) (bytes int) {
	for _, f := range frames {
		bytes += len(f)
	}
	return bytes
}
