package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// server is an API server of one resource, which follows a script. What it answers depends on the
// step and on how many requests of each sort came in it, never on time.
type server struct {
	net  *network
	http *http.Server

	mu      sync.Mutex
	world   *world
	streams bool
	cached  bool // it has streamed lists, or will
	step    step // the rest of its answers
	// rest: a page was refused as expired, so that the next list continues with that one.
	rest   bool
	listed string // the resourceVersion the last list asked for
	paged  bool   // a list at RV "0" has come in pages, all of them
	// unsure: a list failed at a later page, from which pkg/informer concludes that the server has
	// no watch cache, and client-go nothing.
	unsure bool
	// versioned: a list of this step has asked for a version.
	versioned bool
	open      map[*stream]struct{}
	faults    map[string]int // how often each happened
	log       []string
	asked     []string // the requests, in few words
}

// pageItems is how many items a page has if pages are asked for.
const pageItems = 2

func newServer(sc script) *server {
	s := &server{world: newWorld(), streams: sc.streams, open: map[*stream]struct{}{},
		faults: map[string]int{}}
	s.cached = sc.streams || slices.ContainsFunc(sc.steps, func(st step) bool {
		return st.streams != keep
	})
	s.net = newNetwork(s.count)
	s.http = &http.Server{
		Handler: s, ErrorLog: log.New(io.Discard, "", 0),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connection{}, c)
		},
	}
	return s
}

// connection is the context key of a request's *breakable.
type connection struct{}

func (s *server) run() { _ = s.http.Serve(s.net) }

func (s *server) close() { _ = s.http.Close() }

// count notes that a fault has happened.
func (s *server) count(fault string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[fault]++
}

// begin makes a step happen.
func (s *server) begin(st step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.step = st
	s.versioned = false
	s.net.refuseNext(st.refuse)
	if st.streams != keep {
		s.streams = st.streams == streamsOn
	}
	frames := s.apply(st.changes)
	if st.compact {
		s.world.compacted = s.world.version
	}
	s.log = append(s.log, "-- "+st.String())
	for open := range s.open {
		open.acts <- act{frames: s.arrange(frames, st.running), play: st.running}
	}
}

// apply makes changes and returns the frames of them. The caller holds mu.
func (s *server) apply(changes []change) []string {
	var told []string
	for _, c := range changes {
		frames := s.world.apply(c)
		for _, f := range frames {
			told = append(told, f.text())
		}
		switch {
		case c.quiet && c.verb == remove:
			s.faults["delete never announced"]++
		case c.quiet:
			s.faults["change never announced"]++
		case c.half:
			s.faults["recreated, delete never announced"]++
		case len(frames) == 2:
			s.faults["recreated"]++
		}
	}
	return told
}

// arrange puts frames into the order of a play. The caller holds mu.
func (s *server) arrange(frames []string, p play) []string {
	var arranged []string
	if p.stranger {
		s.faults["object of another kind"]++
		arranged = append(arranged,
			watchFrame("MODIFIED",
				`{"apiVersion":"conformance.test/v1","kind":"Other","metadata":{"name":"a","namespace":"shop","uid":"x","resourceVersion":"99999"}}`))
	}
	for _, f := range frames {
		arranged = append(arranged, f)
		if p.doubled {
			s.faults["duplicate events"]++
			arranged = append(arranged, f)
		}
	}
	if p.bookmark {
		s.faults["bookmark"]++
		arranged = append(arranged, bookmark(s.world.version, false))
	}
	return arranged
}

// next takes the answer to a request of one sort, and makes happen what happens meanwhile. The
// caller holds mu.
func (s *server) next(of *[]answer) (a answer, late []string) {
	if len(*of) > 0 {
		a, *of = (*of)[0], (*of)[1:]
	}
	return a, s.apply(a.late)
}

// ServeHTTP answers lists and watches of the one resource.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	conn := r.Context().Value(connection{}).(*breakable)
	w.Header().Set("Content-Type", "application/json")
	q := r.URL.Query()
	switch {
	case q.Get("limit") == "1": // for the version alone, which client-go does not ask for
		s.mu.Lock()
		text := s.listText(url.Values{}, answer{}, false)
		s.mu.Unlock()
		_, _ = io.WriteString(w, text)
	case q.Get("watch") == "":
		s.serveList(w, conn, q)
	case q.Get("sendInitialEvents") != "":
		s.serveStreamedList(w, r, conn, q)
	default:
		s.serveWatch(w, r, conn, q)
	}
}

// note writes the log by which a failure is understood. The caller holds mu.
func (s *server) note(sort string, q url.Values, a answer) {
	short := sort
	if sort != "page" {
		short += fmt.Sprintf(" at %q", q.Get("resourceVersion"))
	}
	if q.Get("limit") != "" {
		short += " in pages"
	}
	s.asked = append(s.asked, short)
	s.log = append(s.log, fmt.Sprintf("%s %s rv=%q limit=%q continue=%q: %s",
		time.Now().Format("15:04:05.000"), sort, q.Get("resourceVersion"), q.Get("limit"),
		q.Get("continue"), a))
}

func (s *server) serveList(w http.ResponseWriter, conn *breakable, q url.Values) {
	s.mu.Lock()
	sort, answers := "list", &s.step.snapshots
	switch {
	case q.Get("continue") != "":
		sort, answers = "page", &s.step.pages
	case s.rest:
		sort, answers = "rest", &s.step.pages
	}
	s.rest = false
	if version := q.Get("resourceVersion"); version != "" && version != "0" {
		s.versioned = true
	}
	a, _ := s.next(answers)
	s.streams = s.streams && !a.noEnd
	s.note(sort, q, a)
	s.unsure = s.unsure || sort == "page" && a.refusal != expired &&
		(a.refusal != answered || a.play.end != endNever)
	refused := a.refusal
	if a.noEnd {
		refused = broken // this brings no list either
	}
	switch a.play.end { // of a list in pages these are refusals
	case endGone:
		refused = expired
	case endBusy:
		refused = busy
	case endBroken:
		refused = broken
	case endCut, endClean, endHalf, endUnknown, endNoJSON:
		conn.breakAfter(a.play.bytes)
	}
	if refused != answered && refused != invalid {
		s.rest = sort == "page" && (refused == expired || refused == gone)
		if sort == "list" {
			s.listed = q.Get("resourceVersion")
		}
		s.mu.Unlock()
		s.refuse(w, conn, sort, refused, a.play.bytes)
		return
	}
	if a.stale > 0 {
		s.faults["stale list"]++
	}
	text := s.listText(q, a, sort != "rest" && s.pages(q))
	if sort != "page" {
		s.listed = q.Get("resourceVersion")
	}
	s.mu.Unlock()
	if conn.breaks(len(text)) {
		s.count(sort + ": cut")
	}
	_, _ = io.WriteString(w, text) // a client that is gone needs no answer
}

// listText is a list, or one page of it. The caller holds mu.
func (s *server) listText(q url.Values, a answer, paged bool) string {
	version, from := s.world.version-a.stale, 0
	if token := q.Get("continue"); token != "" {
		_, _ = fmt.Sscanf(token, "%d-%d", &version, &from)
	}
	things, version := s.world.at(version)
	to, rest := len(things), ""
	if paged && from+pageItems < to {
		to = from + pageItems
		rest = fmt.Sprintf("%d-%d", version, to)
		s.faults["list in pages"]++
	} else if from > 0 && s.listed == "0" {
		s.paged = true
	}
	bare := version%2 == 0 // as built-in lists are
	var items []string
	for _, o := range things[from:to] {
		items = append(items, o.text(bare))
	}
	members := []string{
		fmt.Sprintf(`"metadata":{"resourceVersion":"%d","continue":%q}`, version, rest),
		`"items":[` + strings.Join(items, ",") + `]`,
	}
	if version%3 == 0 {
		members[0], members[1] = members[1], members[0]
		s.faults["items before metadata"]++
	}
	return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,%s}`, apiVersion, kind+"List",
		strings.Join(members, ","))
}

// pages reports whether a list is cut into pages, if it is long enough. Both sides ask for pages
// with RV "0"; where they do not agree on asking, the server leaves the list whole, so that they
// ask for the same number of pages (see TestRequestsThatDiffer). The caller holds mu.
func (s *server) pages(q url.Values) bool {
	if q.Get("limit") == "" {
		return false
	}
	switch q.Get("resourceVersion") {
	case "0":
		return true
	case "":
		return !s.versioned
	default:
		// without a watch cache, as clients conclude from a first list in pages
		return s.paged && !s.cached && !s.unsure
	}
}

func (s *server) refuse(w http.ResponseWriter, conn *breakable, sort string, r refusal, bytes int) {
	s.count(sort + ": " + refusalNames[r])
	if r == noAnswer {
		conn.breakAfter(bytes % 60)
		// of which nothing arrives: the headers are longer than 60 bytes
		_, _ = io.WriteString(w, strings.Repeat(" ", 8192))
		panic(http.ErrAbortHandler)
	}
	if r == busyFor {
		w.Header().Set("Retry-After", "1")
	}
	st := status(r)
	w.WriteHeader(int(st.Code))
	_ = json.NewEncoder(w).Encode(st) // a client that is gone needs no answer
}

func status(r refusal) metav1.Status {
	st := metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status: metav1.StatusFailure, Message: "as the script says"}
	switch r {
	case expired:
		st.Code, st.Reason = http.StatusGone, metav1.StatusReasonExpired
	case gone:
		st.Code, st.Reason = http.StatusGone, metav1.StatusReasonGone
	case tooLarge:
		st.Code, st.Reason = http.StatusGatewayTimeout, metav1.StatusReasonTimeout
		st.Details = &metav1.StatusDetails{
			Causes: []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}}
	case busy, busyFor:
		st.Code, st.Reason = http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests
	case invalid:
		st.Code, st.Reason = http.StatusUnprocessableEntity, metav1.StatusReasonInvalid
	default:
		st.Code, st.Reason = http.StatusInternalServerError, metav1.StatusReasonInternalError
	}
	return st
}

func (s *server) serveStreamedList(w http.ResponseWriter, r *http.Request, conn *breakable,
	q url.Values) {
	s.mu.Lock()
	if !s.streams {
		s.note("streamed list", q, answer{refusal: invalid})
		s.mu.Unlock()
		s.refuse(w, conn, "streamed list", invalid, 0)
		return
	}
	before := s.world.version
	a, late := s.next(&s.step.snapshots)
	s.note("streamed list", q, a)
	if a.refusal != answered {
		s.mu.Unlock()
		s.refuse(w, conn, "streamed list", a.refusal, a.play.bytes)
		return
	}
	if a.stale > 0 {
		s.faults["stale streamed list"]++
		before, late = s.world.version-a.stale, nil
	}
	things, version := s.world.at(before)
	var initial []string
	for _, o := range things {
		initial = append(initial, watchFrame("ADDED", o.text(false)))
	}
	p := a.play
	frames := append(s.arrange(initial, p), late...)
	if len(late) > 0 {
		s.faults["changes within a streamed list"]++
	}
	if a.stale == 0 {
		version = s.world.version
	}
	if a.noEnd {
		s.faults["streamed list without an end"]++
		s.streams = false
	} else {
		s.faults["streamed list"]++
		frames = append(frames, bookmark(version, true))
		if version < s.world.compacted {
			p = play{end: endGone, after: len(frames)}
		}
		for _, f := range s.world.since(version) {
			frames = append(frames, f.text())
		}
	}
	st := s.openStream()
	s.mu.Unlock()
	s.serveStream(w, r, conn, q, st, act{frames: frames, play: p, noEnd: a.noEnd})
}

func (s *server) serveWatch(w http.ResponseWriter, r *http.Request, conn *breakable, q url.Values) {
	s.mu.Lock()
	a, _ := s.next(&s.step.watches)
	s.note("watch", q, a)
	version, err := strconv.Atoi(q.Get("resourceVersion"))
	if err == nil && a.refusal == answered && version < s.world.compacted {
		s.faults["watch of a version the server has forgotten"]++
		a = answer{play: play{end: endGone}}
		if version%2 == 0 { // servers say it either way
			a = answer{refusal: expired}
		}
	}
	if a.refusal != answered {
		s.mu.Unlock()
		s.refuse(w, conn, "watch", a.refusal, a.play.bytes)
		return
	}
	var frames []string
	for _, f := range s.world.since(version) {
		frames = append(frames, f.text())
	}
	if len(frames) == 0 && a.play.end == endClean {
		s.faults["watch closed at once"]++
	}
	frames = s.arrange(frames, a.play)
	st := s.openStream()
	s.mu.Unlock()
	s.serveStream(w, r, conn, q, st, act{frames: frames, play: a.play})
}
