package endpoints

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/pkg/filters/rules"
)

// held is how many bytes of an answer are held back: a shorter answer can still become an error.
const held = 32 << 10

// item is a violation as /violations returns it.
type item struct {
	Listener  string `json:"listener"`
	Cluster   string `json:"cluster,omitempty"`
	Resource  string `json:"resource"`
	Rule      string `json:"rule"`
	Severity  string `json:"severity"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	Message   string `json:"message"`
	Since     string `json:"since"`
}

// violations serves /violations. The total follows the items, so that they need not be counted
// first.
func (s *Server) violations(w http.ResponseWriter, r *http.Request) {
	listeners := slices.SortedFunc(slices.Values(s.listeners()), func(a, b Listener) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Cluster, b.Cluster))
	})
	names := make([]string, len(listeners))
	for i, l := range listeners {
		names[i] = l.Name
	}
	asked, err := parseQuery(r.URL.RawQuery, names)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	out := bufio.NewWriterSize(w, held)
	// A bufio.Writer keeps its first error, and returns it for all later writes.
	_, _ = out.WriteString(`{"items":[`)
	total := 0
	for _, l := range listeners {
		if l.Violations == nil || !is(asked.listener, l.Name) {
			continue
		}
		for _, v := range sorted(l.Violations()) {
			if !asked.wants(&v) {
				continue
			}
			if total++; total > asked.limit {
				continue
			}
			if writeItem(out, l, v, total == 1) != nil {
				panic(http.ErrAbortHandler) // the client has gone
			}
		}
	}
	_, _ = fmt.Fprintf(out, "],\"total\":%d}\n", total)
	if out.Flush() != nil {
		panic(http.ErrAbortHandler)
	}
}

func writeItem(out *bufio.Writer, l Listener, v rules.Violation, first bool) error {
	line, err := json.Marshal(item{
		Listener: l.Name, Cluster: l.Cluster, Resource: l.Resource, Rule: v.Rule, Severity: v.Severity,
		Namespace: v.Namespace, Name: v.Name, UID: v.UID,
		Message: v.Message, Since: v.Since.UTC().Format(time.RFC3339Nano),
	})
	if err != nil {
		panic(err) // strings always have a JSON form
	}
	separator := ",\n"
	if first {
		separator = "\n"
	}
	_, _ = out.WriteString(separator)
	_, err = out.Write(line)
	return err
}

// sorted returns violations in the promised order, in which they usually are already.
func sorted(violations []rules.Violation) []rules.Violation {
	order := func(a, b rules.Violation) int {
		return cmp.Or(strings.Compare(a.Rule, b.Rule), strings.Compare(a.Namespace, b.Namespace),
			strings.Compare(a.Name, b.Name), strings.Compare(a.UID, b.UID))
	}
	if slices.IsSortedFunc(violations, order) {
		return violations
	}
	return slices.SortedFunc(slices.Values(violations), order)
}
