package patch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
	"github.com/informerd/informerd/pkg/informer/event"
)

// pod is the part of an API server that has one Pod. A merge patch changes it if it has a spec that
// is not null.
type pod struct {
	uid      string
	version  int
	before   func() // called before each request
	fail     error
	requests []sink.KubeRequest
}

func (p *pod) Do(_ context.Context, r sink.KubeRequest) ([]byte, error) {
	p.requests = append(p.requests, r)
	if p.before != nil {
		p.before()
	}
	switch {
	case p.fail != nil:
		return nil, p.fail
	case p.uid == "":
		return nil, apierrors.NewNotFound(pods, r.Name)
	case r.Method == http.MethodGet:
		return answer(r.Name, p.uid, strconv.Itoa(p.version)), nil
	}
	var body struct {
		Metadata sink.KubeMetadata
		Spec     json.RawMessage
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return nil, err
	}
	if body.Metadata.ResourceVersion != strconv.Itoa(p.version) {
		return nil, apierrors.NewConflict(pods, r.Name, errors.New("modified"))
	}
	if string(body.Spec) != "null" && !r.DryRun {
		p.version++
	}
	return answer(r.Name, p.uid, strconv.Itoa(p.version)), nil
}

func write(ctx context.Context, s *Sink, m sink.Message) error {
	return errors.Join(s.Write(ctx, []sink.Message{m})...)
}

func newTest(t *testing.T, c Config) *Sink {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func at(t *testing.T, version int, data string) sink.Message {
	t.Helper()
	m := sinktest.Message(t, "web", version)
	m.Body, m.Data = sink.BodyData, data
	return m
}

func TestARequest(t *testing.T) {
	to := &pod{uid: webID, version: 7}
	s := newTest(t, Config{API: to, Type: Merge, DryRun: true})
	if err := write(t.Context(), s, at(t, 7, `{"spec":1}`)); err != nil {
		t.Fatal(err)
	}
	r := to.requests[0]
	r.Body = nil
	if got, want := fmt.Sprintf("%+v", r), fmt.Sprintf("%+v", sink.KubeRequest{Method: "PATCH",
		Cluster: "prod", Version: "v1", Resource: "pods", Namespace: "shop", Name: "web",
		ContentType: "application/merge-patch+json", FieldManager: "informerd/all", DryRun: true,
		MetadataOnly: true}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := s.Writes.Stats(); got != (Stats{Unchanged: 1}) {
		t.Errorf("a dry run: %+v", got)
	}
}

func TestNothingToPatch(t *testing.T) {
	to := &pod{uid: webID, version: 7}
	s := newTest(t, Config{API: to, Type: Merge})
	deleted := at(t, 7, `{"spec":1}`)
	deleted.Op = event.Delete
	for _, m := range []sink.Message{deleted, at(t, 7, "null"), at(t, 7, ""), at(t, 7, "{}")} {
		if err := write(t.Context(), s, m); err != nil {
			t.Error(err)
		}
	}
	if len(to.requests) > 0 || s.Writes.Stats() != (Stats{Skipped: 4}) {
		t.Errorf("%d requests, %+v", len(to.requests), s.Writes.Stats())
	}
}

// A patch is own only if it made the version: one that changed nothing, after somebody else did,
// did not.
func TestAnObjectThatHasChanged(t *testing.T) {
	to := &pod{uid: webID, version: 9}
	s := newTest(t, Config{API: to, Type: Merge})
	own := s.Writes.Of("prod", "all")
	if err := write(t.Context(), s, at(t, 7, `{"spec":null}`)); err != nil {
		t.Fatal(err)
	}
	if own.Own(t.Context(), update(t, 8, 9)) || own.known.Load() != 0 {
		t.Error("another's write is own")
	}
	if err := write(t.Context(), s, at(t, 7, `{"spec":1}`)); err != nil {
		t.Fatal(err)
	}
	if own.Own(t.Context(), update(t, 8, 10)) {
		t.Error("an update that hides another's write is own")
	}
	if !own.Own(t.Context(), update(t, 9, 10)) {
		t.Error("the write is not own")
	}
	if got := s.Writes.Stats(); got != (Stats{Changed: 1, Unchanged: 1}) {
		t.Errorf("got %+v", got)
	}
	if got := len(to.requests); got != 6 { // PATCH, GET, PATCH
		t.Errorf("%d requests", got)
	}
}

func TestAnObjectThatChangesAllTheTime(t *testing.T) {
	to := &pod{uid: webID, version: 7}
	to.before = func() { to.version++ }
	s := newTest(t, Config{API: to, Type: Merge})
	err := write(t.Context(), s, at(t, 7, `{"spec":1}`))
	if !sink.IsAlone(err) || sink.IsPermanent(err) || len(to.requests) != 2*versionTries-1 {
		t.Errorf("got %v after %d requests", err, len(to.requests))
	}
	if n := s.Writes.Of("prod", "all").known.Load(); n != 0 {
		t.Errorf("%d objects are known", n)
	}
}

// However often it tries, a Write ends within its timeout.
func TestAnObjectThatChangesSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &pod{uid: webID, version: 7}
		to.before = func() {
			to.version++
			time.Sleep(400 * time.Millisecond)
		}
		s := newTest(t, Config{Type: Merge, Timeout: time.Second,
			API: api(func(ctx context.Context, r sink.KubeRequest) ([]byte, error) {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				return to.Do(ctx, r)
			})})
		begin := time.Now()
		err := write(t.Context(), s, at(t, 7, `{"spec":1}`))
		if took := time.Since(begin); err == nil || sink.IsPermanent(err) ||
			took > 1200*time.Millisecond {
			t.Errorf("got %v after %v", err, took)
		}
	})
}

func TestAnObjectThatIsGone(t *testing.T) {
	for _, tt := range []struct {
		uid  string
		want error
	}{{"", errGone}, {"another", errReplaced}} {
		to := &pod{uid: tt.uid, version: 9}
		s := newTest(t, Config{API: to, Type: Merge})
		err := write(t.Context(), s, at(t, 7, `{"spec":1}`))
		if !errors.Is(err, tt.want) || !sink.IsPermanent(err) || !sink.IsMoot(err) {
			t.Errorf("got %v, want %v", err, tt.want)
		}
	}
}

// A resource that is missing may come back, for two minutes: its patches wait, and hold up no
// others. One that is served in another version is patched there, with whatever version the object
// was read in.
func TestAResourceThatIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := apierrors.NewGenericServerResponse(404, "patch", pods, "", "no", 0, false)
		to := &pod{uid: webID, version: 7, fail: gone}
		writes := NewWrites()
		s := newTest(t, Config{API: to, Type: Merge, Writes: writes})
		m := at(t, 7, `{"spec":1}`)
		waits := func(want bool) {
			t.Helper()
			err := write(t.Context(), s, m)
			if err == nil || errors.Is(err, errGone) || sink.IsPermanent(err) == want ||
				(backoff.RetryAfter(err) == missingDelay) != want || sink.IsAlone(err) != want {
				t.Errorf("got %v", err)
			}
		}
		waits(true)
		time.Sleep(missingTime - time.Second)
		waits(true)
		time.Sleep(time.Second)
		waits(false)
		to.fail = nil
		if err := write(t.Context(), s, m); err != nil {
			t.Error(err)
		}
		to.fail = gone
		waits(true)

		to.fail = nil
		v1 := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
		writes.Renewed("prod", v1, "v2")
		writes.Renewed("prod", v1.GroupResource().WithVersion("v2"), "v3")
		if err := write(t.Context(), s, m); err != nil {
			t.Error(err)
		}
		last := to.requests[len(to.requests)-1]
		if last.Version != "v3" || !strings.Contains(string(last.Body), `"apiVersion":"v3"`) {
			t.Errorf("%s: %s", last.Version, last.Body)
		}
		writes.Renewed("prod", v1.GroupResource().WithVersion("v3"), "v1")
		if err := write(t.Context(), s, m); err != nil {
			t.Error(err)
		}
		if last := to.requests[len(to.requests)-1]; last.Version != "v1" {
			t.Error(last.Version)
		}
	})
}

func TestConflictsOfApply(t *testing.T) {
	causes := []metav1.StatusCause{{Type: metav1.CauseTypeFieldManagerConflict,
		Message: `conflict with "kubectl" using v1`, Field: ".spec.replicas"}}
	to := &pod{fail: apierrors.NewApplyConflict(causes, "no")}
	err := write(t.Context(), newTest(t, Config{API: to}), at(t, 7, `{}`))
	if want := `.spec.replicas of "kubectl" using v1`; !sink.IsPermanent(err) ||
		!strings.HasSuffix(err.Error(), want) || len(to.requests) != 1 {
		t.Errorf("got %v, want %s", err, want)
	}
	for range 100 {
		causes = append(causes, metav1.StatusCause{Type: metav1.CauseTypeFieldManagerConflict,
			Message: strings.Repeat("x", 1000), Field: strings.Repeat("y", 1000)})
	}
	to.fail = apierrors.NewApplyConflict(causes, "no")
	if err := write(t.Context(), newTest(t, Config{API: to}), at(t, 7, `{}`)); err == nil ||
		len(err.Error()) > 3000 {
		t.Errorf("got %v", err)
	}
}

func TestALoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &pod{uid: webID, version: 7}
		var log bytes.Buffer
		var recorded []string
		writes := NewWrites()
		of := func(listener string) (*Sink, *sink.Origin) {
			return newTest(t, Config{API: to, Type: Merge, Writes: writes,
				Log: slog.New(slog.NewTextHandler(&log, nil)),
				Looping: func(_ context.Context, m *sink.Message, note string) error {
					recorded = append(recorded, m.Object.Name()+": "+note)
					return errors.New("no events here")
				}}), &sink.Origin{Cluster: "prod", Listener: listener, Resource: "pods", Plural: "pods"}
		}
		one, first := of("one")
		two, second := of("two")
		patch := func(n int) error {
			m := at(t, to.version, `{"spec":1}`)
			s := one
			if m.Origin = first; n%2 == 1 {
				s, m.Origin = two, second
			}
			return write(t.Context(), s, m)
		}
		pause := time.Minute
		for round := range 6 {
			for n := range maxChanges {
				if err := patch(n); err != nil {
					t.Fatalf("round %d, patch %d: %v", round, n, err)
				}
			}
			for n := range 2 { // listeners fight
				err := patch(n)
				if !errors.Is(err, ErrPaused) || sink.IsPermanent(err) || !sink.IsAlone(err) ||
					backoff.RetryAfter(err) != pause {
					t.Fatalf("round %d: %v, asks for %v", round, err, backoff.RetryAfter(err))
				}
			}
			other := sinktest.Message(t, "db", 7)
			other.Body, other.Data = sink.BodyData, "{}"
			if err := write(t.Context(), one, other); err != nil {
				t.Error(err)
			}
			time.Sleep(pause)
			pause = min(2*pause, longestPause)
		}
		if got := writes.Stats().Pauses; got != 6 || len(recorded) != 6 {
			t.Errorf("%d pauses, %d recorded", got, len(recorded))
		}
		if want := "web: informerd has changed the object 10 times within 1m0s, last for " +
			`listener "one"; its patches are paused for 1m0s`; recorded[0] != want {
			t.Errorf("recorded %s", recorded[0])
		}
		if got := strings.Count(log.String(), "they seem to be a loop"); got != 6 {
			t.Errorf("logged\n%s", &log)
		}
		// After a while without a loop, pauses are short again.
		time.Sleep(time.Hour)
		for n := range maxChanges {
			if err := patch(n); err != nil {
				t.Fatal(err)
			}
		}
		if got := backoff.RetryAfter(patch(0)); got != time.Minute {
			t.Errorf("the pause is %v", got)
		}
	})
}

// Ten changes within more than a minute are no loop, and neither are patches that change nothing.
func TestNoLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &pod{uid: webID, version: 7}
		s := newTest(t, Config{API: to, Type: Merge})
		for range 30 {
			if err := write(t.Context(), s, at(t, to.version, `{"spec":1}`)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(6 * time.Second)
		}
		for range 30 {
			if err := write(t.Context(), s, at(t, to.version, `{"spec":null}`)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// What is paused is asked about, and so is not forgotten for others.
func TestMemoryOfLoopsIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLoops()
		for range maxChanges {
			l.changed("busy", time.Now())
		}
		if _, pause := l.check("busy", time.Now()); pause == 0 {
			t.Error("it is not paused")
		}
		for n := range 2 * maxObjects {
			l.changed(strconv.Itoa(n), time.Now())
			if n%1000 == 0 {
				if wait, _ := l.check("busy", time.Now()); wait == 0 {
					t.Fatal("the pause is forgotten")
				}
			}
		}
		if got := l.objects.Len(); got != maxObjects {
			t.Errorf("%d objects are known", got)
		}
	})
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []Config{{}, {API: &pod{}, Type: 7}} {
		if _, err := New(c); err == nil {
			t.Errorf("%+v is fine", c)
		}
	}
}
