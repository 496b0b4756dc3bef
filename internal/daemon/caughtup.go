package daemon

import (
	"context"

	"github.com/informerd/informerd/internal/catchup"
)

// lookAgain has rules and a select look at all objects again after a restart, once informers have
// caught up. Before, they are as they were when informerd stopped: what is due by the time that has
// passed would be reported of objects that are gone, or other ones by now. What a reload has to ask
// until then waits with it.
func (s *supervisor) lookAgain(ctx context.Context, l *listener) {
	select {
	case <-l.wentOn:
	case <-ctx.Done():
		return
	}
	if catchup.Wait(ctx, l.registrations) != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.behind = false
	l.rescanDue(s)
	s.log.Debug("the listener has caught up after the restart", "listener", l.name)
}
