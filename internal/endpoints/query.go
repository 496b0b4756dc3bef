package endpoints

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"github.com/informerd/informerd/internal/nearest"
	"github.com/informerd/informerd/pkg/filters/rules"
)

const (
	defaultLimit = 1_000
	maxLimit     = 100_000
)

var parameters = []string{"listener", "rule", "severity", "namespace", "limit"}

// query selects violations. A nil field matches everything.
type query struct {
	listener, rule, severity, namespace *string
	limit                               int
}

// parseQuery parses the query of a URL. Any name of a rule or a namespace is accepted, since they
// may have no open violation; listeners and severities must exist.
func parseQuery(raw string, listeners []string) (query, error) {
	q := query{limit: defaultLimit}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return q, fmt.Errorf("the query cannot be read: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if n := len(values[name]); n > 1 {
			return q, fmt.Errorf("parameter %q is set %d times", name, n)
		}
		value := values[name][0]
		switch name {
		case "listener":
			q.listener, err = &value, known("listener", value, listeners)
		case "rule":
			q.rule = &value
		case "severity":
			q.severity, err = &value, known("severity", value, rules.Severities)
		case "namespace":
			q.namespace = &value
		case "limit":
			if q.limit, err = strconv.Atoi(value); err != nil || q.limit < 0 || q.limit > maxLimit {
				err = fmt.Errorf("limit is a whole number from 0 to %d, not %q", maxLimit, value)
			}
		default:
			err = known("parameter", name, parameters)
		}
		if err != nil {
			return q, err
		}
	}
	return q, nil
}

// known returns an error if there is no such name, with the nearest one.
func known(what, name string, names []string) error {
	if slices.Contains(names, name) {
		return nil
	}
	if near, ok := nearest.Name(name, names); ok {
		return fmt.Errorf("unknown %s %q, did you mean %s?", what, name, near)
	}
	return fmt.Errorf("unknown %s %q", what, name)
}

// wants reports whether a violation of a selected listener matches.
func (q query) wants(v *rules.Violation) bool {
	return is(q.rule, v.Rule) && is(q.severity, v.Severity) && is(q.namespace, v.Namespace)
}

func is(asked *string, value string) bool { return asked == nil || *asked == value }
