package plugins

import (
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

func TestClock(t *testing.T) {
	now := func(grant ClockGrant) time.Time {
		host, _ := testHost(t)
		spec := testSpec(scripted(abi.ModuleClock, "", []hostCall{{"now_ns", nil}}))
		spec.Grants.Clock = &grant
		return time.Unix(0, results(t, instance(t, host, spec), 1)[0])
	}
	before := time.Now()
	if got := now(ClockGrant{}); got.Before(before) || got.After(time.Now()) {
		t.Errorf("the real clock is at %v", got)
	}
	fixed := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	if got := now(ClockGrant{Fixed: fixed}); !got.Equal(fixed) {
		t.Errorf("the fixed clock is at %v", got)
	}
}

func TestRandom(t *testing.T) {
	seed := func(n uint64) *uint64 { return &n }
	fill := func(s *uint64, calls ...hostCall) (string, []int64) {
		host, _ := testHost(t)
		spec := testSpec(scripted(abi.ModuleRandom, "", calls))
		spec.Grants.Random = &RandomGrant{Seed: s}
		i := instance(t, host, spec)
		r := results(t, i, len(calls))
		b, _ := i.guest.memory.Read(1024, 40)
		return string(b), r
	}
	twice := []hostCall{{"fill", []int64{1024, 16}}, {"fill", []int64{1040, 16}}}
	texts := map[string]string{}
	for name, s := range map[string]*uint64{"real": nil, "real again": nil, "one": seed(1),
		"zero": seed(0)} {
		text, r := fill(s, twice...)
		if text[:16] == text[16:32] || text[32:] != strings.Repeat("\x00", 8) || r[0] != 0 ||
			r[1] != 0 {
			t.Errorf("%s: got %x, %v", name, text, r)
		}
		for other, was := range texts {
			if was == text {
				t.Errorf("%s returns the same as %s", name, other)
			}
		}
		texts[name] = text
	}
	if again, _ := fill(seed(1), twice...); again != texts["one"] {
		t.Errorf("the same seed makes %x and %x", again, texts["one"])
	}
	_, r := fill(nil, hostCall{"fill", []int64{0, 0}}, hostCall{"fill", []int64{0, 65536}},
		hostCall{"fill", []int64{0, 65537}},
		hostCall{"fill", []int64{0, -1}})
	// The second writes over the first two results.
	if r[2] != int64(abi.BadArgument) || r[3] != int64(abi.BadArgument) || r[1] != 0 {
		t.Errorf("got %v", r)
	}
}

// What the grants fix is the same for a guest that asks WASI.
func TestWASIFollowsTheGrants(t *testing.T) {
	fixed := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	seed := uint64(7)
	texts := map[string]bool{}
	for range 2 {
		host, _ := testHost(t)
		m := scripted(abi.ModuleWASI, "", []hostCall{
			{"clock_time_get", []int64{0, 0, 1024}}, {"random_get", []int64{1032, 16}},
		})
		spec := testSpec(m)
		spec.Grants.Clock, spec.Grants.Random = &ClockGrant{Fixed: fixed}, &RandomGrant{Seed: &seed}
		i := instance(t, host, spec)
		expectVerdict(t, i, podAdd(t), Done)
		if got, _ := i.guest.memory.ReadUint64Le(1024); int64(got) != fixed.UnixNano() {
			t.Errorf("the clock is at %d", got)
		}
		random, _ := i.guest.memory.Read(1032, 16)
		texts[string(random)] = true
	}
	if len(texts) != 1 {
		t.Errorf("the same seed makes %d texts", len(texts))
	}
}
