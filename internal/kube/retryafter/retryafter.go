// Package retryafter reads after which time an API server wants to be asked again.
//
// A server says so in the Retry-After header of an answer, or in the Status that is its body.
// client-go keeps the header only of answers without a Status, and some of its calls wait for that
// time by themselves, however long it is. Here the caller gets both, bounded, and waits itself.
package retryafter

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Max is the longest delay that is honoured. A server that is away for longer is asked a few times
// in vain.
const Max = 5 * time.Minute

// Error is an error together with the delay the server asked for.
type Error struct {
	Err   error
	Delay time.Duration // at most Max
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Of returns how long to wait at least after an error, 0 if the server did not say.
func Of(err error) time.Duration {
	var noted *Error
	if errors.As(err, &noted) {
		return noted.Delay
	}
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		return bounded(seconds)
	}
	return 0
}

func bounded(seconds int) time.Duration {
	return time.Duration(min(max(seconds, 0), int(Max/time.Second))) * time.Second
}

// Parse reads a Retry-After header: seconds, or a time. It returns 0 for what is neither.
func Parse(header string, now time.Time) time.Duration {
	// What is out of range is the largest number.
	if seconds, err := strconv.Atoi(header); err == nil || errors.Is(err, strconv.ErrRange) {
		return bounded(seconds)
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), Max)
}

type key struct{}

// Note returns a context whose requests record the delays that they receive in the Noted, if they
// use a Transport.
func Note(ctx context.Context) (context.Context, *Noted) {
	n := &Noted{}
	return context.WithValue(ctx, key{}, n), n
}

// With returns err with the recorded delay added, or err itself if there is none.
func (n *Noted) With(err error) error {
	if err == nil || n.Delay() == 0 {
		return err
	}
	return &Error{Err: err, Delay: n.Delay()}
}
