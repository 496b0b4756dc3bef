package sink_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/informerd/informerd/internal/sink"
)

func TestPermanent(t *testing.T) {
	refused := errors.New("413 too large")
	marked := sink.Permanent(refused)
	tests := []struct {
		name string
		err  error
		want bool
	}{
		{"nil", nil, false},
		{"nil marked", sink.Permanent(nil), false},
		{"not marked", refused, false},
		{"closed", sink.ErrClosed, false},
		{"marked", marked, true},
		{"marked, then wrapped", fmt.Errorf("output %q: %w", "hook", marked), true},
		{"marked, then joined", errors.Join(refused, marked), true},
	}
	for _, tt := range tests {
		if got := sink.IsPermanent(tt.err); got != tt.want {
			t.Errorf("%s: IsPermanent = %t, want %t", tt.name, got, tt.want)
		}
	}
	if marked.Error() != "413 too large" || !errors.Is(marked, refused) {
		t.Errorf("the mark hides the error: %v", marked)
	}
}
