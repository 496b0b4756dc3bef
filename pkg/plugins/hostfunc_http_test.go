package plugins

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/outbound"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

func TestHTTPStatusOfErrors(t *testing.T) {
	for err, want := range map[error]abi.Status{
		outbound.ErrBad:      abi.BadArgument,
		outbound.ErrDenied:   abi.Denied,
		outbound.ErrTooLarge: abi.Quota,
		io.EOF:               abi.Unavailable,
	} {
		if got := httpStatus(fmt.Errorf("dial: %w", err)); got != want {
			t.Errorf("%v: got %v", err, got)
		}
	}
}

// A tenth of the deadline is left to the guest.
func TestRequestTime(t *testing.T) {
	for _, test := range []struct{ timeout, left, want time.Duration }{
		{time.Second, time.Minute, time.Second},
		{time.Minute, time.Second, 900 * time.Millisecond},
		{time.Second, -10 * time.Second, -9 * time.Second},
	} {
		if got := requestTime(test.timeout, test.left); got != test.want {
			t.Errorf("%v, %v left: got %v", test.timeout, test.left, got)
		}
	}
}
