package lease_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/kube/lease"
	"github.com/informerd/informerd/internal/kube/lease/leasetest"
)

const theRecord = "/api/v1/namespaces/ns/configmaps/name-progress"

var errCut = errors.New("connection reset")

func record(s *leasetest.Server, identity string) (*lease.Record, *leasetest.Line) {
	line := s.NewLine()
	return lease.NewRecord(line.Client(), config(identity)), line
}

func data(text string) map[string][]byte { return map[string][]byte{"l": []byte(text)} }

func read(t *testing.T, s *leasetest.Server) lease.Content {
	t.Helper()
	r, _ := record(s, "reader")
	c, err := r.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func expect(t *testing.T, got, want lease.Content) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the record is %+v, want %+v", got, want)
	}
}

func TestRecordIsWrittenByWhoClaimedItLast(t *testing.T) {
	s := leasetest.New()
	expect(t, read(t, s), lease.Content{})
	a, _ := record(s, "a")
	c, err := a.Claim(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	expect(t, c, lease.Content{})
	expect(t, read(t, s), lease.Content{Holder: "a"})
	for _, c := range []lease.Content{{Data: data("1")}, {Data: data("2"), Final: true}} {
		if err := a.Write(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		c.Holder = "a"
		expect(t, read(t, s), c)
	}

	b, _ := record(s, "b")
	if c, err = b.Claim(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(t, c, lease.Content{Data: data("2"), Holder: "a", Final: true})
	// It is not final for whoever claims it next, before b has written how far it has come.
	expect(t, read(t, s), lease.Content{Data: data("2"), Holder: "b"})
	if err = a.Write(t.Context(), lease.Content{Data: data("3")}); !errors.Is(err, lease.ErrTaken) {
		t.Errorf("a has written what b has claimed: %v", err)
	}
	expect(t, read(t, s), lease.Content{Data: data("2"), Holder: "b"})
	if err = b.Write(t.Context(), lease.Content{Data: data("4")}); err != nil {
		t.Error(err)
	}
}

// A listener may have any name that a configuration allows.
func TestRecordOfAListenerNamedLikeItsOwnKeys(t *testing.T) {
	s := leasetest.New()
	a, _ := record(s, "a")
	if _, err := a.Claim(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := lease.Content{Data: map[string][]byte{"holder": []byte("1"), "stopped": []byte("2")},
		Holder: "a"}
	if err := a.Write(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	expect(t, read(t, s), c)
	for key := range c.Data { // the server refuses a ConfigMap with a key in both
		if strings.Count(s.Object(theRecord), `"`+key+`":`) != 1 {
			t.Errorf("key %q is not there once: %s", key, s.Object(theRecord))
		}
	}
}

// A try may be successful although its answer is lost.
func TestRecordGoesOnAfterALostAnswer(t *testing.T) {
	lost := func(method string) func(int, *http.Request) leasetest.Fault {
		done := false
		return func(_ int, r *http.Request) (f leasetest.Fault) {
			if r.Method == method && !done {
				f.Lost, done = errCut, true
			}
			return f
		}
	}
	synctest.Test(t, func(t *testing.T) {
		s := leasetest.New()
		before, _ := record(s, "before")
		if _, err := before.Claim(t.Context()); err != nil {
			t.Fatal(err)
		}
		written := lease.Content{Data: data("1"), Final: true, Holder: "before"}
		if err := before.Write(t.Context(), written); err != nil {
			t.Fatal(err)
		}
		a, line := record(s, "a")
		line.Break(lost(http.MethodPut))
		if _, err := a.Claim(t.Context()); !errors.Is(err, errCut) {
			t.Fatalf("Claim: %v", err)
		}
		c, err := a.Claim(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		expect(t, c, written)

		line.Break(lost(http.MethodPut))
		writes := s.Writes(theRecord)
		if err = a.Write(t.Context(), lease.Content{Data: data("2")}); err != nil {
			t.Fatal(err)
		}
		expect(t, read(t, s), lease.Content{Data: data("2"), Holder: "a"})
		if s.Writes(theRecord) != writes+2 {
			t.Errorf("%d writes", s.Writes(theRecord)-writes)
		}
		// The same, and the server does not answer when it is asked what there is.
		asked := false
		first := lost(http.MethodPut)
		line.Break(func(n int, r *http.Request) leasetest.Fault {
			if r.Method == http.MethodGet && !asked {
				asked = true
				return leasetest.Fault{Answer: leasetest.Refusal(500, "InternalError")}
			}
			return first(n, r)
		})
		if err = a.Write(t.Context(), lease.Content{Data: data("3")}); err != nil || !asked {
			t.Fatalf("%v, asked: %v", err, asked)
		}
		expect(t, read(t, s), lease.Content{Data: data("3"), Holder: "a"})
	})
}

// A create whose answer is lost is found again as well.
func TestRecordThatIsMade(t *testing.T) {
	s := leasetest.New()
	a, line := record(s, "a")
	line.Break(func(n int, r *http.Request) (f leasetest.Fault) {
		if n == 2 {
			f.Lost = errCut
		}
		return f
	})
	if _, err := a.Claim(t.Context()); !errors.Is(err, errCut) {
		t.Fatalf("Claim: %v", err)
	}
	if c, err := a.Claim(t.Context()); err != nil || c.Holder != "" {
		t.Fatalf("%+v, %v", c, err)
	}
	if got := line.Requests(); !slices.Equal(got, []string{"GET", "POST", "GET", "PUT"}) {
		t.Error(got)
	}
	s.Delete(theRecord)
	if err := a.Write(t.Context(), lease.Content{Data: data("1")}); err != nil {
		t.Fatal(err)
	}
	expect(t, read(t, s), lease.Content{Data: data("1"), Holder: "a"})
}

// What somebody has made of it who is no replica goes with the next write.
func TestRecordThatIsEmptied(t *testing.T) {
	for _, emptied := range []string{
		`{"metadata":{"name":"name-progress","namespace":"ns"}}`,
		`{"metadata":{"name":"name-progress","namespace":"ns"},"data":{"_holder":""},"binaryData":{"x":"AAAA"}}`,
	} {
		s := leasetest.New()
		a, _ := record(s, "a")
		if _, err := a.Claim(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Put("/api/v1/namespaces/ns/configmaps/name-progress", emptied)
		if err := a.Write(t.Context(), lease.Content{Data: data("1")}); err != nil {
			t.Error(err)
		}
		expect(t, read(t, s), lease.Content{Data: data("1"), Holder: "a"})
	}
}

// Two that claim it at the same time have it one after the other.
func TestRecordThatTwoClaim(t *testing.T) {
	s := leasetest.New()
	a, line := record(s, "a")
	b, _ := record(s, "b")
	line.Break(func(n int, r *http.Request) leasetest.Fault {
		if n == 2 {
			if _, err := b.Claim(t.Context()); err != nil {
				t.Error(err)
			}
			if err := b.Write(t.Context(), lease.Content{Data: data("b")}); err != nil {
				t.Error(err)
			}
		}
		return leasetest.Fault{}
	})
	c, err := a.Claim(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	expect(t, c, lease.Content{Data: data("b"), Holder: "b"})
	if err = b.Write(t.Context(), lease.Content{}); !errors.Is(err, lease.ErrTaken) {
		t.Errorf("Write: %v", err)
	}
}

// What the server refuses is not tried again, all else is until the context is done.
func TestRecordThatCannotBeWritten(t *testing.T) {
	for _, test := range []struct {
		code   int
		reason string
		tried  bool
	}{
		{http.StatusForbidden, "Forbidden", false},
		{http.StatusUnprocessableEntity, "Invalid", false},
		{http.StatusRequestEntityTooLarge, "RequestEntityTooLarge", false},
		{http.StatusInternalServerError, "InternalError", true},
		{http.StatusTooManyRequests, "TooManyRequests", true},
		{http.StatusUnauthorized, "Unauthorized", true},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := leasetest.New()
			a, line := record(s, "a")
			if _, err := a.Claim(t.Context()); err != nil {
				t.Fatal(err)
			}
			line.Break(func(int, *http.Request) leasetest.Fault {
				return leasetest.Fault{Answer: leasetest.Refusal(test.code, test.reason)}
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err := a.Write(ctx, lease.Content{})
			const want = "the ConfigMap name-progress cannot be written: "
			if err == nil || !strings.HasPrefix(err.Error(), want) ||
				!strings.Contains(err.Error(), "refused: "+test.reason) {
				t.Errorf("%s: %v", test.reason, err)
			}
			n := len(line.Requests())
			if tried := n > 1; tried != test.tried || (ctx.Err() != nil) != test.tried || n > 61 {
				t.Errorf("%s: %d tries", test.reason, n)
			}
		})
	}
}
