package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/informerd/informerd/internal/audit"
)

// Audit is a request for an audit.
type Audit struct {
	Listener string        `json:"listener"`
	All      bool          `json:"all,omitempty"`
	Patience time.Duration `json:"patience,omitempty"`
}

// Audit compares what a listener's stream ended on with the cluster. It calls report for each
// object, and progress now and then with how many objects were looked at.
func (c *Client) Audit(ctx context.Context, request Audit, report func(audit.Object) error,
	progress func(objects int)) (summary audit.Summary, err error) {
	var failed error
	ended := false
	err = c.stream(ctx, auditPath, request, nil, func(l *line) bool {
		switch {
		case l.Object != nil:
			failed = report(*l.Object)
		case l.Audit != nil:
			summary, ended = *l.Audit, true
		case l.Progress > 0:
			progress(l.Progress)
		}
		return failed == nil
	})
	switch {
	case failed != nil:
		return summary, failed
	case err == nil && !ended:
		err = errNotAvailable
	}
	return summary, err
}

func (s *server) audit(w http.ResponseWriter, r *http.Request) {
	var request Audit
	d := json.NewDecoder(io.LimitReader(r.Body, maxSelection))
	d.DisallowUnknownFields()
	switch err := d.Decode(&request); {
	case err != nil:
		fail(w, http.StatusBadRequest, fmt.Errorf("the request cannot be read: %w", err))
		return
	case s.Audit == nil:
		fail(w, http.StatusNotImplemented, errNotAvailable)
		return
	case !s.auditing.TryLock():
		fail(w, http.StatusConflict, errors.New("another audit is under way: wait for its end"))
		return
	}
	out := newStream(w)
	out.end(s.auditTo(r.Context(), out, request))
}

// auditTo does an audit, and sends what it finds. It ends the turn of this audit, so that there may
// be another one when the client knows of the end.
func (s *server) auditTo(ctx context.Context, out *stream, request Audit) error {
	defer s.auditing.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	send := func(l line) {
		if out.send(l); out.failed() {
			cancel() // nobody reads it
		}
	}
	options := audit.Options{All: request.All, Patience: request.Patience,
		Progress: func(objects int) { send(line{Progress: objects}) }}
	summary, err := s.Audit(ctx, request.Listener, options,
		func(o audit.Object) { send(line{Object: &o}) })
	if err == nil {
		send(line{Audit: &summary})
	}
	return err
}
