package backoff

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// MaxRetryAfter is the longest delay that is honoured. A server that is away for longer is asked a
// few times in vain.
const MaxRetryAfter = 5 * time.Minute

// RetryAfterError is an error together with the delay the server asked for.
type RetryAfterError struct {
	Err   error
	Delay time.Duration // at most MaxRetryAfter
}

func (e *RetryAfterError) Error() string { return e.Err.Error() }
func (e *RetryAfterError) Unwrap() error { return e.Err }

// RetryAfter returns after which time at least an API server wants to be asked again, 0 if an error
// does not say.
//
// A server says so in the Retry-After header of an answer, or in the Status that is its body.
// client-go keeps the header only of answers without a Status, and some of its calls wait for that
// time by themselves, however long it is. Here the caller gets both, bounded, and waits itself.
//
// RetryAfter returns how long to wait at least after an error, 0 if the server did not say.
func RetryAfter(err error) time.Duration {
	var noted *RetryAfterError
	if errors.As(err, &noted) {
		return noted.Delay
	}
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		return bounded(seconds)
	}
	return 0
}

func bounded(seconds int) time.Duration {
	return time.Duration(min(max(seconds, 0), int(MaxRetryAfter/time.Second))) * time.Second
}

// ParseRetryAfter reads a Retry-After header: seconds, or a time. It returns 0 for what is neither.
func ParseRetryAfter(header string, now time.Time) time.Duration {
	// What is out of range is the largest number.
	if seconds, err := strconv.Atoi(header); err == nil || errors.Is(err, strconv.ErrRange) {
		return bounded(seconds)
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), MaxRetryAfter)
}

type retryAfterKey struct{}

// NoteDelays returns a context whose requests record the delays that they receive in the Noted,
// if they use a Transport.
func NoteDelays(ctx context.Context) (context.Context, *notedDelays) {
	n := &notedDelays{}
	return context.WithValue(ctx, retryAfterKey{}, n), n
}

// With returns err with the recorded delay added, or err itself if there is none.
func (n *notedDelays) With(err error) error {
	if err == nil || n.Delay() == 0 {
		return err
	}
	return &RetryAfterError{Err: err, Delay: n.Delay()}
}
