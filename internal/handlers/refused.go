package handlers

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/pkg/plugins"
)

// Refused reports why a handler cannot be loaded, at the place that is to blame: what it may not
// do, its configuration, or its file.
func (r *Reader) Refused(err error) {
	below, message, hint := ".handler.wasm", err.Error(), ""
	var missing *plugins.MissingGrantsError
	var crash *plugins.CrashError
	h := r.Listener.Handler
	switch {
	case errors.As(err, &missing):
		var usages []string
		for _, name := range missing.Grants {
			usages = append(usages, config.GrantUsage(name))
		}
		below, hint = ".handler.grants", "write grants: {"+strings.Join(usages, ", ")+"}"
		if h.Grants != (config.Grants{}) {
			hint = "add " + strings.Join(usages, ", ") + " to grants"
		}
	case len(h.Config) > 0 && h.Config[0] != '{':
		below, hint = ".handler.config", "write names and values, as in config: {threshold: 3}"
		message = strings.Replace(message, "a JSON object", "a mapping", 1)
	case errors.As(err, &crash) && crash.Reason == plugins.ReasonRefused:
		below = ".handler.config"
		if name := named(h.Config, crash.Cause.Error()); name != "" {
			below = document.Join(below, name)
		} else if len(h.Config) == 0 {
			hint = "add config to the handler, with what it needs"
		}
	}
	r.Mistakes = append(r.Mistakes, r.Config.ErrorAt(r.Field+below, message, hint))
}

// named returns the member of a handler's configuration that a message names first, "" if it names
// none.
func named(members json.RawMessage, message string) (first string) {
	var all map[string]json.RawMessage
	if json.Unmarshal(members, &all) != nil {
		return ""
	}
	at := len(message)
	for name := range all {
		place := regexp.MustCompile(`(^|[^\w-])` + regexp.QuoteMeta(name) + `($|[^\w-])`).
			FindStringIndex(message)
		if place != nil && (place[0] < at || place[0] == at && len(name) > len(first)) {
			first, at = name, place[0]
		}
	}
	return first
}
