package kube

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
)

// scripted is a reviewer that knows tokens, each the owner's name, and what their owners may read.
type scripted struct {
	took time.Duration // by each answer

	mu      sync.Mutex // guards what follows
	known   map[string]bool
	may     map[string]bool // "name path"
	away    error
	asked   map[string]int // how often, by token, and by "name path"
	under   int
	atOnce  int // at most
	reviews int
}

func newScripted(known ...string) *scripted {
	s := &scripted{took: 100 * time.Millisecond, known: map[string]bool{}, may: map[string]bool{},
		asked: map[string]int{}}
	for _, name := range known {
		s.known[name] = true
	}
	return s
}

func (s *scripted) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *scripted) answer(ctx context.Context, what string) error {
	s.set(func() {
		s.asked[what]++
		s.reviews++
		s.under++
		s.atOnce = max(s.atOnce, s.under)
	})
	defer s.set(func() { s.under-- })
	select {
	case <-time.After(s.took):
	case <-ctx.Done():
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.away
}

func (s *scripted) Token(ctx context.Context, token string) (*Identity, error) {
	if err := s.answer(ctx, token); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.known[token] {
		return nil, nil
	}
	return &Identity{Name: token}, nil
}

func (s *scripted) May(ctx context.Context, who *Identity, verb, path string) (bool, error) {
	what := who.Name + " " + path
	if verb != "get" {
		what = who.Name + " " + verb + " " + path
	}
	if err := s.answer(ctx, what); err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.may[what], nil
}

func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// A browser asks for a name and a password, and keeps to what was typed.
func TestATokenAsAPassword(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newScripted("ann.b-c_~+/==")
		r.may["ann.b-c_~+/== /metrics"] = true
		c := NewAccess(r)
		for _, user := range []string{"", "ann", "eve", "ü"} {
			header := basic(user, "ann.b-c_~+/==")
			if err := check(t.Context(), c, "/metrics", header); err != nil {
				t.Errorf("%s: %v", user, err)
			}
		}
		if r.reviews != 2 {
			t.Errorf("%d reviews of one token and one right", r.reviews)
		}
	})
}

// A right to read is none to do more.
func TestRightsAreOfOneVerb(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newScripted("ann")
		r.may["ann /letters"], r.may["ann post /drop"] = true, true
		s, err := NewAccess(r).Authenticate(t.Context(), "192.0.2.1:9", []string{"Bearer ann"})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			verb, path string
			want       error
		}{{"get", "/letters", nil}, {"post", "/letters", ErrForbidden}, {"post", "/drop", nil},
			{"get", "/drop", ErrForbidden}, {"get", "/letters", nil}} {
			if err := s.May(t.Context(), c.verb, c.path); err != c.want {
				t.Errorf("%s %s: %v, want %v", c.verb, c.path, err, c.want)
			}
		}
	})
}

// check is a request for a path.
func check(ctx context.Context, c *Access, path string, headers ...string) error {
	session, err := c.Authenticate(ctx, "192.0.2.1:9", headers)
	if err != nil {
		return err
	}
	return session.May(ctx, "get", path)
}

func expect(t *testing.T, c *Access, token string, want error) {
	t.Helper()
	if err := check(t.Context(), c, "/metrics", "Bearer "+token); !errors.Is(err, want) {
		t.Errorf("%.20s: got %v, want %v", token, err, want)
	}
}

func TestWithoutATokenAndARightThereIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newScripted("ann", "bob")
		r.may["ann /metrics"] = true
		c := NewAccess(r)
		expect(t, c, "ann", nil)
		expect(t, c, "bob", ErrForbidden)
		expect(t, c, "eve", ErrUnauthenticated)
		if err := check(t.Context(), c, "/statusz", "Bearer ann"); !errors.Is(err, ErrForbidden) {
			t.Errorf("another path: %v", err)
		}
		r.away = errors.New("refused")
		expect(t, c, "new", ErrUnavailable)
		time.Sleep(TTL)
		expect(t, c, "ann", ErrUnavailable)
	})
}

func TestWhatIsNotABearerTokenIsRefusedWithoutAsking(t *testing.T) {
	r := newScripted()
	c := NewAccess(r)
	for _, headers := range [][]string{nil, {""}, {"Bearer"}, {"Bearer "}, {"Bearer ="},
		{"Bearer  ann"}, {"Bearer ann bob"}, {"Bearer a\x00b"}, {"Bearer é"}, {"Bearer a=b"},
		{"Basic ann"}, {"Basic"}, {basic("ann", "")}, {basic("", "a b")}, {"Basic YW5u"},
		{basic("ann", strings.Repeat("x", maxToken+1))}, {"ann"}, {"Bearer ann", "Bearer ann"}, {"Bearer ann,bob"},
		{"Bearer " + strings.Repeat("x", maxToken+1)}, {"Bearer " + strings.Repeat("x", 1<<20)},
	} {
		if err := check(t.Context(), c, "/metrics", headers...); err != ErrUnauthenticated {
			t.Errorf("%.40q: %v", headers, err)
		}
	}
	if r.reviews != 0 {
		t.Errorf("%d reviews", r.reviews)
	}
	r.known["ann.b-c_~+/=="], r.took = true, 0
	expect(t, c, "ann.b-c_~+/==", ErrForbidden)
	if err := check(t.Context(), c, "/metrics", "bEARER ann.b-c_~+/=="); err != ErrForbidden {
		t.Errorf("in other letters: %v", err)
	}
}

func TestAnswersAreUsedForAShortTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newScripted("ann")
		r.may["ann /metrics"] = true
		c := NewAccess(r)
		begun := time.Now()
		expect(t, c, "ann", nil)
		expect(t, c, "eve", ErrUnauthenticated)
		r.known["ann"], r.known["eve"] = false, true
		time.Sleep(TTL - time.Since(begun) - time.Nanosecond)
		expect(t, c, "ann", nil)
		expect(t, c, "eve", ErrUnauthenticated)
		if r.asked["ann"] != 1 || r.asked["eve"] != 1 || r.asked["ann /metrics"] != 1 {
			t.Errorf("asked: %v", r.asked)
		}
		time.Sleep(time.Nanosecond)
		expect(t, c, "ann", ErrUnauthenticated)
		time.Sleep(r.took)
		expect(t, c, "eve", ErrForbidden)
		r.may["eve /metrics"] = true
		expect(t, c, "eve", ErrForbidden)
		time.Sleep(TTL)
		expect(t, c, "eve", nil)
		r.may["eve /metrics"] = false
		time.Sleep(TTL)
		expect(t, c, "eve", ErrForbidden)
	})
}

func TestOneOfSeveralAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newScripted("ann")
		r.may["ann /metrics"] = true
		c := NewAccess(r)
		gone, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if err := check(gone, c, "/metrics", "Bearer ann"); err == nil {
				t.Error("who has left gets an answer")
			}
		})
		synctest.Wait()
		for range 100 {
			all.Go(func() { expect(t, c, "ann", nil) })
		}
		synctest.Wait()
		leave() // another one asks then
		all.Wait()
		if r.asked["ann"] != 2 || r.asked["ann /metrics"] != 1 {
			t.Errorf("asked: %v", r.asked)
		}
	})
}

// Strangers are many, and their reviews few. Whoever was known before gets its answers meanwhile,
// from a reviewer that takes a while.
func TestStrangersAreReviewedAtALimitedRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newScripted("ann")
		r.may["ann /metrics"] = true
		c := NewAccess(r)
		expect(t, c, "ann", nil)
		const seconds, perSecond = 60, 2_000
		var all sync.WaitGroup
		refused := map[error]int{}
		for i := range seconds * perSecond {
			time.Sleep(time.Second / perSecond)
			all.Go(func() {
				err := check(t.Context(), c, "/metrics", fmt.Sprint("Bearer ", i))
				r.set(func() { refused[err]++ })
			})
			if i%(perSecond/2) == 0 {
				all.Go(func() { expect(t, c, "ann", nil) })
			}
		}
		all.Wait()
		if most := strangersBurst + strangersPerSecond*(seconds+1); r.reviews > most+30 {
			t.Errorf("%d reviews, and %d are allowed", r.reviews, most)
		}
		if r.atOnce > strangersAtOnce+1 {
			t.Errorf("%d reviews at once", r.atOnce)
		}
		if refused[ErrBusy] == 0 || refused[ErrUnauthenticated] == 0 || len(refused) != 2 {
			t.Errorf("results: %v", refused)
		}
		time.Sleep(time.Second)
		expect(t, c, "eve", ErrUnauthenticated) // and now there is time for a new one
	})
}

// Whoever sends tokens of nobody uses up the reviews of its own network, however many addresses it
// has there: a new token of somebody else is reviewed at once.
func TestStrangersHoldUpNoOtherNetwork(t *testing.T) {
	for _, where := range []struct{ flood, other string }{
		{"192.0.2.%d:7", "192.0.3.1:7"}, {"[2001:db8::%x]:7", "[2001:db8:0:1::1]:7"},
		{"[::ffff:192.0.2.%d]:7", "192.0.3.1:7"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newScripted("ann")
			c := NewAccess(r)
			for i := range 1000 {
				time.Sleep(time.Millisecond)
				from := fmt.Sprintf(where.flood, 1)
				if strings.Contains(from, "db8") {
					from = fmt.Sprintf(where.flood, i+1)
				}
				go func() { _, _ = c.Authenticate(t.Context(), from, []string{fmt.Sprint("Bearer ", i)}) }()
			}
			reviews := 0
			if r.set(func() { reviews = r.reviews }); reviews > strangersBurst+2*strangersPerSecond {
				t.Errorf("%s: %d reviews", where.flood, reviews)
			}
			begun := time.Now()
			_, err := c.Authenticate(t.Context(), where.other, []string{"Bearer ann"})
			if took := time.Since(begun); err != nil || took > time.Second {
				t.Errorf("%s: %v after %v", where.other, err, took)
			}
			time.Sleep(time.Minute)
		})
	}
}

// What is no address has a network, too, as the address of a socket in the file system has.
func TestNetworks(t *testing.T) {
	for from, want := range map[string]string{"192.0.2.1:80": "192.0.2.1/32", "": "invalid Prefix",
		"[2001:db8::1]:80": "2001:db8::/64", "[::ffff:192.0.2.1]:80": "192.0.2.1/32",
		"@": "invalid Prefix", "[fe80::1%eth0]:80": "fe80::/64"} {
		if got := networkOf(from).String(); got != want {
			t.Errorf("%q: got %s, want %s", from, got, want)
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newScripted()
		r.took = 0
		c := NewAccess(r)
		c.budgets.Add(networkOf("192.0.2.1:9"), rate.NewLimiter(rate.Inf, 1), time.Hour)
		for i := range maxRefused + 100 {
			expect(t, c, fmt.Sprint(i), ErrUnauthenticated)
		}
		if n := len(c.refused.Keys()); n != maxRefused {
			t.Errorf("%d are remembered", n)
		}
	})
}

func TestAReviewerThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newScripted("ann")
		r.took = time.Hour
		begun := time.Now()
		expect(t, NewAccess(r), "ann", ErrUnavailable)
		if took := time.Since(begun); took != ReviewTime {
			t.Errorf("after %v", took)
		}
	})
}
