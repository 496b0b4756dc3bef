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
		message = plain(message)
		below = ".handler.config"
		if name := named(h.Config, plain(crash.Cause.Error())); name != "" {
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

// wrongType is what Go says of a value in JSON that has another type than the field for it.
var wrongType = regexp.MustCompile(
	`json: cannot unmarshal (\w+)(?: \S+)? into Go (?:struct field [^.\s]*\.?(\S*)|value) of type (\S+)`)

// plain says in the words of configurations what a handler in Go says of its configuration.
func plain(message string) string {
	message = wrongType.ReplaceAllStringFunc(message, func(text string) string {
		parts := wrongType.FindStringSubmatch(text)
		field := parts[2]
		if field == "" {
			field = "it"
		}
		return field + " must be " + wanted(parts[3]) + ", is " + kinds[parts[1]]
	})
	return strings.Replace(message, "json: unknown field", "unknown field", 1)
}

// kinds are the kinds of values, by their words in JSON.
var kinds = map[string]string{"string": "a string", "number": "a number", "bool": "true or false",
	"array": "a list", "object": "a mapping"}

// wanted returns the kind of value for a type of Go.
func wanted(goType string) string {
	switch {
	case strings.HasPrefix(goType, "int"), strings.HasPrefix(goType, "uint"):
		return "a whole number"
	case strings.HasPrefix(goType, "float"):
		return "a number"
	case strings.HasPrefix(goType, "["):
		return "a list"
	case goType == "string":
		return "a string"
	case goType == "bool":
		return "true or false"
	}
	return "a mapping"
}
