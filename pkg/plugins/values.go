package plugins

import (
	"math"

	"github.com/informerd/informerd/pkg/plugins/internal/kv"
)

// Values are what the handlers of one listener keep in kv.v1, for authors' tools and tests: to
// prepare them, and to see what is in them. Close them in the end.
type Values struct {
	store *kv.Store
}

// Values opens those of a listener, whether it has a handler yet or not. Those that outlast the
// daemon are not meant.
func (h *Host) Values(listener string) (*Values, error) {
	store, err := h.kv.Open(listener, kv.Limits{Keys: math.MaxInt, Bytes: math.MaxInt64}, false)
	if err != nil {
		return nil, err
	}
	return &Values{store}, nil
}

// Set stores a value without end.
func (v *Values) Set(key, value string) error { return v.store.Set([]byte(key), []byte(value), 0) }

// All returns the values that are there now.
func (v *Values) All() map[string]string { return v.store.All() }

// Close releases the values. They are forgotten once no handler of the listener uses them.
func (v *Values) Close() error { return v.store.Close() }
