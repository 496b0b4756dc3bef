package shown

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
)

// Of a handler's own configuration the names are shown, and no value.
func TestHandler(t *testing.T) {
	h := config.Handler{Wasm: "a.wasm"}
	document.SetDefaults(&h)
	if all := Handler(&h); len(all) > 0 {
		t.Error(all)
	}
	h.Config = json.RawMessage(`{"token": "secret", "at": [1]}`)
	h.Limits.Memory, h.Limits.Fuel, h.Batch = 64<<20, 1000, 1
	const want = "[{config with at, token} {limits memory 64Mi, fuel 1000} {batch 1 events}]"
	if got := fmt.Sprint(Handler(&h)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
