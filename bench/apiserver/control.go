package apiserver

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Release is the response to a burst or pace: the released changes.
type Release struct {
	First int   `json:"first"` // the number of the first change, from 0
	Count int   `json:"count"`
	Bytes int64 `json:"bytes"` // length of the changes' JSON frames
	// Sizes are the lengths of the frames of a pace, by change.
	Sizes []int `json:"sizes,omitempty"`
	// Parts are the shares of the parts of the collection, if the request had their number.
	Parts []Share `json:"parts,omitempty"`
}

// Share is the number of changes in one part, and their length.
type Share struct {
	Count int   `json:"count"`
	Bytes int64 `json:"bytes"`
}

// State is the response to /bench/state.
type State struct {
	Objects int    `json:"objects"`
	Events  int    `json:"events"`  // prepared
	Out     int    `json:"out"`     // released since the last reset
	Written int    `json:"written"` // of those, written to a watch
	Watches int    `json:"watches"` // open
	Lists   int    `json:"lists"`   // pages that were asked for since the last reset
	Version uint64 `json:"version"` // the resourceVersion before the first change
}

// addControl adds the benchmark's endpoints. All take resource=NAME, by default the first
// collection's.
//
//	POST /bench/burst?n=N          releases N changes at once; with parts=P, also counts them by part
//	POST /bench/paced?n=N&rate=R   releases N changes, R a second
//	POST /bench/reset              withdraws all changes and ends the watches
//	GET  /bench/state              State
//	GET  /bench/written?from=A&n=N returns when changes A to A+N-1 were first written to a watch, in
//	                               Unix nanoseconds, as a JSON array; 0 is not yet
//
// Change i, from 0, has the resourceVersion State.Version+1+i.
func (s *Server) addControl() {
	handle := func(pattern string, f func(c *collection, r *http.Request) (any, error)) {
		s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			c, err := s.named(r.URL.Query().Get("resource"))
			var body any
			if err == nil {
				body, err = f(c, r)
			}
			if err != nil {
				refuse(w, http.StatusBadRequest, "BadRequest", err.Error())
				return
			}
			reply(w, http.StatusOK, body)
		})
	}
	handle("POST /bench/burst", func(c *collection, r *http.Request) (any, error) {
		n, err := number(r, "n")
		if err != nil {
			return nil, err
		}
		parts := 0
		if r.URL.Query().Has("parts") {
			if parts, err = number(r, "parts"); err != nil {
				return nil, err
			}
		}
		first, err := c.changes.release(n)
		released := c.data.released(first, n)
		released.Parts = c.data.releasedParts(first, n, parts)
		return released, err
	})
	handle("POST /bench/paced", func(c *collection, r *http.Request) (any, error) {
		n, err := number(r, "n")
		if err != nil {
			return nil, err
		}
		rate, err := strconv.ParseFloat(r.URL.Query().Get("rate"), 64)
		if err != nil || rate <= 0 || rate > 1e6 {
			return nil, fmt.Errorf("rate=%q is not a number of changes a second",
				r.URL.Query().Get("rate"))
		}
		first, err := c.changes.paced(n, time.Duration(float64(time.Second)/rate))
		if err != nil {
			return nil, err
		}
		released := c.data.released(first, n)
		for _, frame := range c.data.json.frames[first : first+n] {
			released.Sizes = append(released.Sizes, len(frame))
		}
		return released, nil
	})
	handle("POST /bench/reset", func(c *collection, _ *http.Request) (any, error) {
		c.changes.reset()
		return c.state(), nil
	})
	handle("GET /bench/state", func(c *collection, _ *http.Request) (any, error) {
		return c.state(), nil
	})
	handle("GET /bench/written", func(c *collection, r *http.Request) (any, error) {
		from, err := number(r, "from")
		if err != nil {
			return nil, err
		}
		n, err := number(r, "n")
		if err != nil || from+n > c.data.Events {
			return nil, fmt.Errorf("there are %d changes", c.data.Events)
		}
		times := make([]int64, n)
		for i := range times {
			times[i] = c.changes.written[from+i].Load()
		}
		return times, nil
	})
}

func (s *Server) named(resource string) (*collection, error) {
	for _, c := range s.collections {
		if resource == "" || c.data.Kind.Resource == resource {
			return c, nil
		}
	}
	return nil, fmt.Errorf("resource=%q is not served", resource)
}

func number(r *http.Request, name string) (int, error) {
	n, err := strconv.Atoi(r.URL.Query().Get(name))
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s=%q is not a number of changes", name, r.URL.Query().Get(name))
	}
	return n, nil
}

func (d *dataset) released(first, n int) Release {
	r := Release{First: first, Count: n}
	for _, frame := range d.json.frames[first:min(first+n, len(d.json.frames))] {
		r.Bytes += int64(len(frame))
	}
	return r
}

func (c *collection) state() State {
	out, watches, written := c.changes.progress()
	return State{Objects: c.data.Count, Events: c.data.Events, Out: out, Written: written,
		Watches: watches, Lists: c.changes.pages(), Version: c.data.version(0)}
}
