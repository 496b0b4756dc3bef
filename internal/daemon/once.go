package daemon

import (
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/once"
)

// notThrough returns the listeners that are not done with the first lists.
func (s *supervisor) notThrough() map[string]once.State {
	all := map[string]once.State{}
	for _, l := range s.current() {
		if reason, final := s.waitsFor(l); reason != "" {
			all[l.name] = once.State{Reason: reason, Final: final}
		}
	}
	return all
}

// waitsFor returns why a listener is not done with the first lists, "" if it is, and whether
// waiting does not help.
func (s *supervisor) waitsFor(l *listener) (reason string, final bool) {
	failed, crippled := l.health.Failed()
	missing, _ := s.cluster.rights.Lacks(l.name)
	if s.dryRun {
		missing = nil // those of outputs are not needed
	}
	switch {
	case failed != nil:
		return failed.Error(), !errors.As(failed, new(*kube.UnreachableError))
	case crippled != nil:
		return crippled.Error(), true
	case len(missing) > 0:
		return strings.Join(missing, "; "), true
	}
	for _, reg := range l.health.Bound() {
		if err := reg.Status().Err; err != nil {
			return err.Error(), apierrors.IsForbidden(err)
		}
	}
	state := s.state(s.cluster, l)()
	switch {
	case len(state.Starting) > 0 && !s.dryRun:
		return strings.Join(state.Starting, "; "), false
	case !l.works.Load():
		return "it has not begun yet", false
	}
	for _, reg := range l.registrations() {
		if !reg.HasSynced() {
			return "it is not done with the first list of " + reg.Status().Resource.String(), false
		}
	}
	if l.subscription.Rescanning() || !l.endedAbsent.Load() {
		return "it is not done with what has changed since the checkpoint", false
	}
	return "", false
}

// resultsOf returns what listeners have done, and have left unfinished.
func resultsOf(all []*listener, unfinished []int) []once.Result {
	var results []once.Result
	for i, l := range all {
		r := once.Result{Listener: l.name, Done: l.route.Stats(), Unfinished: unfinished[i]}
		if book := l.setup().book(); book != nil {
			for _, n := range book.Counts() {
				r.Violations += n
			}
		}
		results = append(results, r)
	}
	return results
}
