package kubernetesevent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

// write writes one message.
func write(ctx context.Context, s *Sink, m sink.Message) error {
	return errors.Join(s.Write(ctx, []sink.Message{m})...)
}

func newTest(t *testing.T) (*Sink, *server) {
	t.Helper()
	to := newServer()
	s, err := New(Config{API: to})
	if err != nil {
		t.Fatal(err)
	}
	return s, to
}

// repeat is a message of a series: only its id and version differ.
func repeat(t *testing.T, name string, n int) sink.Message {
	t.Helper()
	m := sinktest.Message(t, name, n)
	m.Body, m.Report = sink.BodyReport, &sink.Report{Rule: "stuck", Severity: "high",
		Message: "it is stuck", Violated: true}
	m.Time = time.Now()
	return m
}

// counts returns how often each Event was observed, in no order.
func (s *server) counts() (counts []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		n := 1
		if e.Series != nil {
			n = int(e.Series.Count)
		}
		counts = append(counts, n)
	}
	slices.Sort(counts)
	return counts
}

func TestSeries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, to := newTest(t)
		begin := time.Now()
		for n := range 5 {
			if err := write(t.Context(), s, repeat(t, "web", n)); err != nil {
				t.Fatal(err)
			}
		}
		// one write a second, and each was taken when Write returned
		if took := time.Since(begin); took != 4*time.Second {
			t.Errorf("took %v", took)
		}
		if err := write(t.Context(), s, repeat(t, "db", 1)); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took != 4*time.Second {
			t.Errorf("another object has waited: %v", took)
		}
		if got := to.counts(); !slices.Equal(got, []int{1, 5}) {
			t.Errorf("counts are %v", got)
		}
		last := time.Time{}
		for _, e := range to.events {
			if e.Series != nil {
				last = e.Series.LastObservedTime.Time
			}
		}
		if last.Before(begin.Add(2 * time.Second)) {
			t.Errorf("last observed %v after the first", last.Sub(begin))
		}

		time.Sleep(seriesEnd)
		if err := write(t.Context(), s, repeat(t, "web", 6)); err != nil {
			t.Fatal(err)
		}
		if got := to.counts(); !slices.Equal(got, []int{1, 1, 5}) {
			t.Errorf("after the end of the series, counts are %v", got)
		}
		// A resync of the same state hours later would have the same name.
		time.Sleep(seriesEnd)
		if err := write(t.Context(), s, repeat(t, "web", 6)); err != nil {
			t.Fatal(err)
		}
		if got := to.counts(); !slices.Equal(got, []int{1, 2, 5}) {
			t.Errorf("the same message again: counts are %v", got)
		}
	})
}

// perCluster are servers by the names of clusters.
type perCluster map[string]*server

func (p perCluster) Do(ctx context.Context, r sink.KubeRequest) ([]byte, error) {
	return p[r.Cluster].Do(ctx, r)
}

// Objects of the same names and uid in two clusters have an Event each, in their own cluster.
func TestClustersShareNoEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := perCluster{"eu": newServer(), "us": newServer()}
		s, err := New(Config{API: to})
		if err != nil {
			t.Fatal(err)
		}
		for _, cluster := range []string{"eu", "us", "us"} {
			m := repeat(t, "web", 1)
			m.Origin = sinktest.MessageIn(t, cluster, "web", 1).Origin
			if err := write(t.Context(), s, m); err != nil {
				t.Fatal(err)
			}
		}
		if eu, us := to["eu"].counts(), to["us"].counts(); !slices.Equal(eu, []int{1}) ||
			!slices.Equal(us, []int{2}) {
			t.Errorf("counts are %v and %v", eu, us)
		}
	})
}

func TestAnExpiredEventIsCreatedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, to := newTest(t)
		for n := range 3 {
			if err := write(t.Context(), s, repeat(t, "web", n)); err != nil {
				t.Fatal(err)
			}
			to.mu.Lock()
			clear(to.events)
			to.mu.Unlock()
		}
		if got := to.requests; !slices.Equal(got, []string{"POST", "PATCH", "POST", "PATCH",
			"POST"}) {
			t.Errorf("requests %v", got)
		}
	})
}

// A message whose answer was lost is written again, and has one Event.
func TestALostAnswer(t *testing.T) {
	s, to := newTest(t)
	to.Set(sinktest.Break)
	m := repeat(t, "web", 1)
	if err := write(t.Context(), s, m); err == nil || sink.IsPermanent(err) {
		t.Errorf("got %v", err)
	}
	to.Set(sinktest.Healthy)
	if err := write(t.Context(), s, m); err != nil {
		t.Error(err)
	}
	if got := to.counts(); !slices.Equal(got, []int{1}) {
		t.Errorf("counts are %v", got)
	}
}

func TestTheWaitOfASeriesEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, to := newTest(t)
		if err := write(t.Context(), s, repeat(t, "web", 1)); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := write(ctx, s, repeat(t, "web", 2)); !errors.Is(err, ctx.Err()) {
			t.Errorf("ctx is done: %v", err)
		}
		got := make(chan error, 2)
		for n := range 2 {
			go func() { got <- write(context.Background(), s, repeat(t, "web", 3+n)) }()
		}
		synctest.Wait()
		begin := time.Now()
		if err := s.Close(t.Context()); err != nil || time.Since(begin) > 0 {
			t.Errorf("Close: %v, after %v", err, time.Since(begin))
		}
		for range 2 {
			if err := <-got; !errors.Is(err, sink.ErrClosed) {
				t.Errorf("closed: %v", err)
			}
		}
		if n := to.counts(); !slices.Equal(n, []int{1}) {
			t.Errorf("counts are %v", n)
		}
	})
}

func TestMemoryOfSeriesIsBounded(t *testing.T) {
	s, _ := newTest(t)
	for n := range maxSeries + 100 {
		e := s.newEvent(&[]sink.Message{repeat(t, fmt.Sprint("web-", n), 1)}[0], What{})
		s.series.of(e)
	}
	if got := s.series.known.Len(); got != maxSeries {
		t.Errorf("%d series are known", got)
	}
}
