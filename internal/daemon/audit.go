package daemon

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/audit"
)

// audit compares what a listener's stream ended on with the cluster.
func (s *supervisor) audit(ctx context.Context, name string, o audit.Options,
	report func(audit.Object)) (audit.Summary, error) {
	var names []string
	for _, l := range s.current() {
		if names = append(names, l.name); l.name == name {
			return s.auditListener(ctx, l, o, report)
		}
	}
	return audit.Summary{}, audit.Unknown(name, names)
}

func (s *supervisor) auditListener(ctx context.Context, l *listener, o audit.Options,
	report func(audit.Object)) (audit.Summary, error) {
	regs := l.registrations()
	if idle := s.idle(l); idle != "" {
		return audit.Summary{}, fmt.Errorf("listener %q does not get events: %s", l.name, idle)
	}
	check := func() error {
		if slices.Equal(regs, l.registrations()) {
			return nil
		}
		return fmt.Errorf("listener %q was reloaded meanwhile: give the command again", l.name)
	}
	return audit.Run(ctx, audit.Listener{Name: l.name, Ledger: l.ledger, Check: check,
		Parts:  audit.PartsOf(s.cluster.client, regs),
		Buffer: l.subscription.Underway, Outputs: l.route.Underway}, o, report)
}

// idle returns why a listener does not get events, "" if it does.
func (s *supervisor) idle(l *listener) string {
	if len(l.registrations()) > 0 && (s.replica.Load() == nil || s.leads()) {
		return ""
	}
	if s.replica.Load() != nil && !s.leads() {
		return "this replica stands by, so ask the one that leads"
	}
	state := s.state(s.cluster, l)()
	return cmp.Or(strings.Join(slices.Concat(state.Failing, state.Starting), "; "),
		"it is not bound yet")
}
