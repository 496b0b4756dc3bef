package reflector

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer/object"
)

// lister answers each list with an empty one, and remembers what was asked for. looks are questions
// for the version alone.
type lister struct {
	ListWatcher
	asked []metav1.ListOptions
	looks int
}

func (l *lister) List(_ context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	if opts.Limit == 1 {
		l.looks++
	} else {
		l.asked = append(l.asked, opts)
	}
	return io.NopCloser(strings.NewReader(`{"metadata":{"resourceVersion":"70"},"items":[]}`)), nil
}

// Item 3: pages for what comes from etcd or from any cache, one piece for what a cache can answer
// at a version.
func TestWhichListsComeInPages(t *testing.T) {
	for _, c := range []struct {
		version string
		paged   bool
		limit   int64
	}{
		{"0", false, 500}, {"", false, 500}, {"100", false, 0}, {"100", true, 500},
	} {
		server := &lister{}
		r := &Reflector{Source: Source{ListWatcher: server, Parser: &object.Parser{}},
			paged: c.paged}
		if _, _, err := r.listPages(t.Context(), c.version); err != nil {
			t.Fatal(err)
		}
		if got := server.asked[0]; got.Limit != c.limit || got.ResourceVersion != c.version {
			t.Errorf("version %q, paged %t: %+v", c.version, c.paged, got)
		}
	}
}

// Item 23: an expired version is a normal thing and logged for debugging only; every other failure
// is a warning, with the delay before the next attempt.
func TestWhatIsLoggedOfAFailedAttempt(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{apierrors.NewResourceExpired("too old resource version"),
			`level=DEBUG msg="resourceVersion expired, listing again" in=1s`},
		{errors.New("no route"),
			`level=WARN msg="cannot list or watch, will try again" error="no route" in=1s`},
		{io.ErrUnexpectedEOF, `level=WARN msg="cannot list or watch, will try again" error="unexpected EOF" in=1s`},
	} {
		var log strings.Builder
		noTime := func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}
		r := &Reflector{Log: slog.New(
			slog.NewTextHandler(&log,
				&slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: noTime}))}
		r.report(c.err, time.Second)
		if got := strings.TrimSpace(log.String()); got != c.want || r.Status().Err != c.err {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
