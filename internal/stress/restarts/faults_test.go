package restarts

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The faults of the server, in the words of the informer's conformance tests where those have them.
// Each must happen in a full run.
var faults = map[string][]string{
	"watch": {"watch: 410 Expired", "watch: 410 Gone", "watch: 429", "watch: 429 Retry-After",
		"watch: 500", "watch: no answer", "watch closed at once"},
	"list": {"list: 410 Expired", "list: 410 Gone", "list: 429", "list: 500", "list: no answer",
		"list: cut"},
	"page": {"page: 410 Expired", "page: 500", "page: cut"},
	"streamed list": {"streamed list: 410 Expired", "streamed list: 429", "streamed list: 500",
		"streamed list: no answer", "streamed list: cut"},
	"stream": {"stream: error 410", "stream: error 429", "stream: error 500",
		"stream: cut at a byte", "stream: connection closed without an end", "stream: half frame",
		"stream: closed", "stream: unknown type", "stream: no JSON", "object of another kind",
		"duplicate events"},
	"": {"refused", "slow answer", "bookmark", "streamed list", "streamed list: 422",
		"changes within a streamed list", "list in pages", "items before metadata",
		"watch of a version the server has forgotten", "change never announced",
		"delete never announced", "recreated, delete never announced"},
}

// lists reports whether a list may follow a fault.
func lists(fault string) bool {
	for _, part := range []string{"410", "error 500", "half frame", "unknown type", "no JSON"} {
		if strings.Contains(fault, part) {
			return true
		}
	}
	return false
}

// fail has the next request of a kind fail.
func (s *server) fail(kind, fault string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kind == "stream" {
		s.inStream = append(s.inStream, fault)
		s.wake()
		return
	}
	s.next[kind] = append(s.next[kind], fault)
}

// heal ends all faults.
func (s *server) heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next, s.inStream, s.slow, s.killIn = map[string][]string{}, nil, 0, ""
}

// note counts a fault that happens.
func (s *server) note(fault string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tally[fault]++
	s.excused = s.excused || lists(fault)
}

// fails counts a request, and has it fail if it has to.
func (s *server) fails(w http.ResponseWriter, kind string) bool {
	s.mu.Lock()
	s.requests[kind]++
	s.answered[kind]++
	if s.life == nil {
		s.mu.Unlock()
		panic(http.ErrAbortHandler)
	}
	if kind == "list" || kind == "streamed list" {
		s.lists = append(s.lists, s.life.number)
		if s.synced > 0 && !s.excused {
			s.mayNot = append(s.mayNot, fmt.Sprintf("life %d: a %s as request %v", s.life.number,
				kind, s.requests))
		}
	}
	fault := ""
	if next := s.next[kind]; len(next) > 0 {
		fault, s.next[kind] = next[0], next[1:]
	}
	s.mu.Unlock()
	if fault == "" || strings.HasSuffix(fault, "cut") {
		if fault != "" {
			s.note(fault)
			w.Header().Set("X-Cut", "yes")
		}
		return false
	}
	s.note(fault)
	_, what, _ := strings.Cut(fault, ": ")
	switch {
	case fault == "watch closed at once":
		return true
	case what == "no answer":
		panic(http.ErrAbortHandler)
	case what == "429 Retry-After":
		w.Header().Set("Retry-After", "1")
	}
	code, _ := strconv.Atoi(what[:3])
	if kind == "page" && code == http.StatusGone { // all is asked for next, without a limit
		s.mu.Lock()
		s.pages = false
		s.mu.Unlock()
	}
	reason := map[int]string{429: "TooManyRequests", 500: "InternalError"}[code]
	if _, after, ok := strings.Cut(what, " "); ok && code == http.StatusGone {
		reason = after
	}
	w.WriteHeader(code)
	_, _ = w.Write([]byte(status(code, reason)))
	return true
}

// owesList reports whether the next list is to fail.
func (s *server) owesList() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.next["list"])+len(s.next["page"])+len(s.next["streamed list"]) > 0
}

func (s *server) takeInStream() (fault string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.inStream) > 0 {
		fault, s.inStream = s.inStream[0], s.inStream[1:]
	}
	return fault
}

// spoil has a stream fail before a change, if there is one, and reports whether it has ended.
func (s *server) spoil(w http.ResponseWriter, r *http.Request, c change, fault string) (end bool) {
	send := func(text string) { _, _ = w.Write([]byte(text)); w.(http.Flusher).Flush() }
	text := bookmark(s.last(), false)
	if c.version > 0 {
		text = c.frame()
	}
	s.note(fault)
	switch fault {
	case "stream: error 410":
		send(frame("ERROR", status(410, "Expired")))
	case "stream: error 429":
		send(frame("ERROR", status(429, "TooManyRequests")))
	case "stream: error 500":
		send(frame("ERROR", status(500, "InternalError")))
	case "stream: cut at a byte":
		send(text[:len(text)/2])
		panic(http.ErrAbortHandler)
	case "stream: connection closed without an end":
		panic(http.ErrAbortHandler)
	case "stream: half frame":
		send(text[:len(text)/2])
	case "stream: closed":
	case "stream: unknown type":
		send(frame("UNKNOWN", "{}"))
		<-r.Context().Done()
	case "stream: no JSON":
		send("]]\n")
		<-r.Context().Done()
	case "object of another kind":
		send(frame("ADDED", `{"kind":"Node","apiVersion":"v1","metadata":{"namespace":"ns-a",`+
			`"name":"other","uid":"other","resourceVersion":"1"}}`))
		return false
	case "duplicate events":
		if c.version > 0 {
			send(text)
		}
		return false
	}
	return true
}

// list sends a list, or a page of one.
func (s *server) list(w http.ResponseWriter, r *http.Request, token string) {
	all, version := s.snapshot()
	s.mu.Lock()
	begin, pages, first := 0, s.pages, s.rand.IntN(2) == 0
	if token != "" {
		at, from, _ := strings.Cut(token, "-")
		version, _ = strconv.Atoi(at)
		begin, _ = strconv.Atoi(from)
		all, pages = s.pinned[version], true
	}
	end, next := len(all), ""
	if pages && begin+40 < end {
		end = begin + 40
		s.pinned[version] = all
		s.tally["list in pages"]++
		next = fmt.Sprintf("%d-%d", version, end)
	}
	if first {
		s.tally["items before metadata"]++
	}
	s.mu.Unlock()
	text := listOf(all[begin:end], metadata(version, next), first)
	s.half(w, r, text[:len(text)/2])
	_, _ = w.Write([]byte(text[len(text)/2:]))
	w.(http.Flusher).Flush()
	if end == len(all) {
		s.sent(r)
	}
}

// metadata is that of a list.
func metadata(version int, next string) string {
	if next == "" {
		return fmt.Sprintf(`"metadata":{"resourceVersion":"%d"}`, version)
	}
	return fmt.Sprintf(`"metadata":{"resourceVersion":"%d","continue":%q}`, version, next)
}

// listOf returns a list, with the items before or behind its metadata.
func listOf(pods []*pod, metadata string, first bool) string {
	texts := []string{}
	for _, p := range pods {
		texts = append(texts, p.json())
	}
	items := `"items":[` + strings.Join(texts, ",") + "]"
	if first {
		return `{"kind":"PodList","apiVersion":"v1",` + items + "," + metadata + "}"
	}
	return `{"kind":"PodList","apiVersion":"v1",` + metadata + "," + items + "}"
}

// half sends half of a list, and has the child killed or the list cut if that is to be.
func (s *server) half(w http.ResponseWriter, r *http.Request, text string) {
	_, _ = w.Write([]byte(text))
	if w.Header().Get("X-Cut") != "" {
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	if l := s.kills(halfList); l != nil {
		w.(http.Flusher).Flush()
		l.reaches()
		l.kill()
		<-r.Context().Done()
	}
}

// sent notes that the child has a whole list, and has it killed then if that is to be.
func (s *server) sent(r *http.Request) {
	s.mu.Lock()
	if s.life != nil {
		s.whole = s.life.beat() + 1
	}
	s.mu.Unlock()
	if l := s.kills(wholeList); l != nil {
		l.reaches()
		l.kill()
		<-r.Context().Done()
	}
}

// kills returns the life that is to end in a part of a list, nil if none is.
func (s *server) kills(in string) *life {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killIn != in {
		return nil
	}
	s.killIn = ""
	return s.life
}

// streamedList sends a list as a stream, and then what happens.
func (s *server) streamedList(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	streams, changes := s.streams, s.rand.IntN(2) == 0
	s.mu.Unlock()
	if !streams {
		s.note("streamed list: 422")
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = w.Write([]byte(status(http.StatusUnprocessableEntity, "Invalid")))
		return
	}
	s.note("streamed list")
	all, version := s.snapshot()
	text := ""
	for i, p := range all {
		if i == len(all)/2 {
			s.half(w, r, text)
			text = ""
		}
		text += frame("ADDED", p.json())
	}
	if changes {
		s.awaits.Store(true)
		since, more := s.after(version)
		if len(since) == 0 {
			select {
			case <-more:
			case <-time.After(50 * time.Millisecond):
			}
			since, _ = s.after(version)
		}
		s.awaits.Store(false)
		for _, c := range since {
			s.note("changes within a streamed list")
			text += c.frame()
			version = c.version
		}
	}
	_, _ = w.Write([]byte(text + bookmark(version, true)))
	w.(http.Flusher).Flush()
	s.sent(r)
	s.follow(w, r, version)
}

// missing returns the faults that have not happened.
func missing(tally map[string]int) (none []string) {
	for _, of := range faults {
		for _, fault := range of {
			if tally[fault] == 0 {
				none = append(none, fault)
			}
		}
	}
	slices.Sort(none)
	return none
}
