package trial

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/bench/apiserver"
	"github.com/informerd/informerd/bench/contender"
	"github.com/informerd/informerd/bench/objects"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	stored = 200
	burst  = 300
	paced  = 20
)

func listen(t *testing.T) (*apiserver.Listener, Options) {
	t.Helper()
	s, err := apiserver.New(apiserver.Config{Collections: []apiserver.Collection{
		{Kind: objects.Pods, Count: stored, Size: objects.Medium, Events: burst + paced + 2},
	}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := apiserver.Listen(s, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return l, Options{
		Setup: contender.Setup{Kubeconfig: l.Plain, Kind: objects.Pods, Objects: stored,
			Filter: contender.Filters["pods"]},
		Control: Control{URL: l.URL}, Burst: burst,
	}
}

func TestATrialMeasuresEachPhase(t *testing.T) {
	_, o := listen(t)
	o.Contender, o.Paced, o.PacedEvery, o.Singles, o.SingleGap = contender.Core, paced,
		time.Millisecond, 2, 10*time.Millisecond
	o.IdleSample = 10 * time.Millisecond
	o.ProfileDir = t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := Run(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Contender != contender.Core || r.Objects != stored || r.Changes != burst ||
		r.Singles != 2 || r.Blind {
		t.Errorf("%+v", r)
	}
	for name, p := range map[string]Phase{"list": r.List, "burst": r.Burst} {
		if p.CPU <= 0 || p.Wall <= 0 || p.Allocs == 0 {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if r.MatchedListed <= 0 || r.MatchedListed >= stored || r.MatchedChanges <= 0 ||
		r.MatchedChanges >= burst {
		t.Errorf("matched %d objects and %d changes", r.MatchedListed, r.MatchedChanges)
	}
	if r.PeakRSS <= 0 || r.SteadyRSS <= 0 || r.IdleRSS <= 0 || r.LoadedRSS <= 0 {
		t.Errorf("resident: peak %d, steady %d, idle %d, after the burst %d", r.PeakRSS,
			r.SteadyRSS, r.IdleRSS, r.LoadedRSS)
	}
	if r.Heap < stored*100 {
		t.Errorf("%d bytes of heap hold %d pods", r.Heap, stored)
	}
	if len(r.Latencies) != paced || len(r.SingleLatencies) != 2 || r.SingleCPU <= 0 {
		t.Errorf("%d latencies, %d of single changes, which used %v", len(r.Latencies),
			len(r.SingleLatencies), r.SingleCPU)
	}
	for _, took := range append(r.Latencies, r.SingleLatencies...) {
		if took <= 0 {
			t.Errorf("a change was seen %v before it was written", -took)
		}
	}
	for _, name := range []string{"core-list.pprof", "core-burst.pprof"} {
		if info, err := os.Stat(filepath.Join(o.ProfileDir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestADropperMatchesNothing(t *testing.T) {
	_, o := listen(t)
	o.Contender, o.Paced, o.PacedEvery, o.Singles, o.SingleGap = contender.Drop, 10,
		time.Millisecond, 2, time.Millisecond
	o.IdleSample = 10 * time.Millisecond
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.SingleCPU <= 0 || r.Singles != 2 {
		t.Errorf("%d single changes used %v", r.Singles, r.SingleCPU)
	}
	if !r.Blind || r.List.CPU <= 0 || r.Burst.CPU <= 0 || r.MatchedListed != 0 ||
		len(r.Latencies) != 10 || len(r.SingleLatencies) != 2 {
		t.Errorf("%+v", r)
	}
}

func TestATrialThatCannotGoOn(t *testing.T) {
	l, o := listen(t)
	o.Contender = "nobody"
	if _, err := Run(t.Context(), o); err == nil ||
		err.Error() != `contender "nobody": unknown, or not for this kind of object` {
		t.Error(err)
	}

	// A server with fewer objects than announced.
	o.Contender, o.Setup.Objects = contender.Core, stored+1
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := Run(ctx, o); !errors.Is(err, context.DeadlineExceeded) ||
		err.Error() != "core: list: 200 of 201: context deadline exceeded" {
		t.Error(err)
	}

	// More changes than the server has.
	o.Setup.Objects, o.Burst = stored, 10_000
	if err := (Control{l.URL}).Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := "core: burst: POST /bench/burst?n=10000&parts=0: 400 Bad Request: "
	if _, err := Run(t.Context(), o); err == nil || !strings.HasPrefix(err.Error(), want) ||
		!strings.Contains(err.Error(), "cannot release 10000 changes") {
		t.Errorf("%v, want %s…", err, want)
	}
}

func TestLatencyIsFromWritingToSeeing(t *testing.T) {
	took, err := between([]int64{10, 20}, []int64{15, 120})
	if err != nil || len(took) != 2 || took[0] != 5 || took[1] != 100 {
		t.Error(took, err)
	}
	for _, c := range [][2][]int64{{{10, 0}, {15, 16}}, {{10, 11}, {15, 0}}} {
		if _, err := between(c[0], c[1]); err == nil ||
			err.Error() != "change 1 was handled, but its time was not recorded" {
			t.Error(err)
		}
	}
}
