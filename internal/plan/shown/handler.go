package shown

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
)

// Handler returns the settings of a handler that are not the default. Of its own configuration,
// which may be a secret, it has the names.
func Handler(h *config.Handler) (all []Setting) {
	add := func(name, format string, args ...any) {
		all = append(all, Setting{name, fmt.Sprintf(format, args...)})
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(h.Config, &given) == nil && len(given) > 0 {
		add("config", "with %s", strings.Join(slices.Sorted(maps.Keys(given)), ", "))
	}
	usual := config.Handler{}
	document.SetDefaults(&usual)
	var limits []string
	if h.Limits.Memory != usual.Limits.Memory {
		limits = append(limits, "memory "+h.Limits.Memory.String())
	}
	if h.Limits.Deadline != usual.Limits.Deadline {
		limits = append(limits, "deadline "+document.Short(h.Limits.Deadline.Duration))
	}
	if h.Limits.Fuel != 0 {
		limits = append(limits, fmt.Sprintf("fuel %d", h.Limits.Fuel))
	}
	if len(limits) > 0 {
		add("limits", "%s", strings.Join(limits, ", "))
	}
	if h.Batch != usual.Batch {
		add("batch", "%d events", h.Batch)
	}
	if h.PauseAfter != usual.PauseAfter {
		add("pause after", "%d failures", h.PauseAfter)
	}
	return all
}
