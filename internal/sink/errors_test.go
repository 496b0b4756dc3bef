package sink

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/backoff"
)

func TestErrors(t *testing.T) {
	cause := errors.New("refused")
	if err := Permanent(nil); err != nil {
		t.Errorf("Permanent(nil) is %v", err)
	}
	if err := RetryAfter(nil, time.Second); err != nil {
		t.Errorf("RetryAfter(nil) is %v", err)
	}
	permanent := fmt.Errorf("output: %w", Permanent(cause))
	if !IsPermanent(permanent) || !errors.Is(permanent, cause) ||
		permanent.Error() != "output: refused" {
		t.Errorf("%v is not what was marked as permanent", permanent)
	}
	later := fmt.Errorf("output: %w", RetryAfter(cause, time.Minute))
	if IsPermanent(later) || backoff.RetryAfter(later) != time.Minute || !errors.Is(later, cause) ||
		later.Error() != "output: refused" {
		t.Errorf("%v is not what was marked with a delay", later)
	}
	alone := fmt.Errorf("output: %w", Alone(RetryAfter(cause, time.Minute)))
	if !IsAlone(alone) || IsPermanent(alone) || backoff.RetryAfter(alone) != time.Minute ||
		Alone(nil) != nil || alone.Error() != "output: refused" {
		t.Errorf("%v is not what was marked as alone", alone)
	}
	for _, err := range []error{cause, nil, ErrClosed} {
		if IsPermanent(err) || backoff.RetryAfter(err) != 0 || IsAlone(err) {
			t.Errorf("%v is permanent, alone, or has a delay", err)
		}
	}
	if errs := AllFailed(2, cause); len(errs) != 2 || errs[0] != cause || errs[1] != cause {
		t.Errorf("got %v", errs)
	}
}
