package apiserver

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// flushEvery is after how many frames a watch is flushed although more are ready.
const flushEvery = 64

// watch writes frames until the client disconnects, its timeout ends, or the changes are reset.
func (c *collection) watch(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	initial := q.Get("sendInitialEvents") == "true"
	if _, asked := q["sendInitialEvents"]; asked && !c.server.cfg.WatchList {
		refuse(w, http.StatusUnprocessableEntity, "Invalid",
			`ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: `+
				"sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled")
		return
	}
	p, err := c.part(q.Get("labelSelector"))
	if err != nil {
		refuse(w, http.StatusBadRequest, "BadRequest", err.Error())
		return
	}
	position, exact, err := c.position(q.Get("resourceVersion"))
	if err != nil {
		refuse(w, http.StatusBadRequest, "BadRequest", err.Error())
		return
	}
	if position > c.out() {
		refuse(w, http.StatusGatewayTimeout, "Timeout", "Too large resource version")
		return
	}
	ctx := r.Context()
	if seconds, _ := strconv.Atoi(q.Get("timeoutSeconds")); seconds > 0 {
		timed, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second)
		defer cancel()
		ctx = timed
	}
	s := &watchStream{c: c, t: c.texts(r), part: p, w: w,
		flush: http.NewResponseController(w).Flush}
	w.Header().Set("Content-Type", s.t.codec.watchContentType())
	if s.err = s.flush(); initial || !exact && q.Get("sendInitialEvents") == "" {
		position = s.writeObjects(initial)
	}
	s.follow(ctx, position, q.Get("allowWatchBookmarks") == "true")
}

// watchStream is one client's watch. After an error nothing more is written.
type watchStream struct {
	c     *collection
	t     *texts
	part  part
	w     http.ResponseWriter
	flush func() error
	err   error
}

func (s *watchStream) write(frame []byte) {
	if s.err == nil {
		_, s.err = s.w.Write(frame)
	}
}

// writeObjects writes the existing objects as ADDED frames, and returns how many changes they
// include.
func (s *watchStream) writeObjects(bookmark bool) (position int) {
	position = s.c.out()
	for _, object := range s.part.of(s.c.data.current(s.t, position)) {
		frame, _ := s.t.codec.frame("ADDED", object)
		s.write(frame)
	}
	if bookmark {
		s.write(s.t.codec.bookmark(fmt.Sprint(s.c.data.version(position)), true))
	}
	return position
}

// follow writes the changes from position on.
func (s *watchStream) follow(ctx context.Context, position int, bookmarks bool) {
	epoch, leave := s.c.changes.enter()
	defer leave()
	tick := time.NewTicker(s.c.server.cfg.BookmarkEvery)
	defer tick.Stop()
	for s.err == nil {
		out, more := s.c.changes.state()
		for unflushed := 0; position < out && s.err == nil; position++ {
			if !s.part.has(s.c.data.object(position)) {
				continue
			}
			s.c.changes.written[position].CompareAndSwap(0, time.Now().UnixNano())
			s.write(s.t.frames[position])
			if unflushed++; unflushed == flushEvery && s.err == nil {
				unflushed, s.err = 0, s.flush()
			}
		}
		select {
		case <-more:
			continue
		default:
		}
		if s.err == nil {
			s.err = s.flush()
		}
		select {
		case <-more:
		case <-tick.C:
			if bookmarks {
				s.write(s.t.codec.bookmark(fmt.Sprint(s.c.data.version(position)), false))
			}
		case <-ctx.Done():
			return
		case <-epoch.Done():
			return
		}
	}
}

// position returns the number of changes after which a watch starts; exact is false if any state is
// allowed.
func (c *collection) position(version string) (n int, exact bool, err error) {
	if version == "" || version == "0" {
		return 0, false, nil
	}
	v, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return 0, false, fmt.Errorf("resourceVersion: Invalid value: %q", version)
	}
	// Older versions than that of the first list are versions of objects in it.
	return int(max(v, c.data.version(0)) - c.data.version(0)), true, nil
}
