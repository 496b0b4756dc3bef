package migrate

import (
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
)

// search finds the configurations in a file: the file itself, and what is in manifests and in values
// of a Helm chart. The error is a config.Errors.
func search(from document.Text) (found []original, err error) {
	nodes, err := readNodes(from.File, from.Data, document.Place{})
	for _, n := range nodes {
		found = inspect(found, from.File, n, 0)
	}
	return found, err
}

// maxInside is how deep a configuration may be inside of manifests and values.
const maxInside = 12

// inspect looks whether a value is a configuration, or has some in it, and adds them.
func inspect(found []original, file string, n *node, depth int) []original {
	if tool, values := recognize(n); tool != "" {
		return append(found, original{tool: tool, file: file, root: n, values: values})
	}
	if depth > maxInside {
		return found
	}
	inside := n.items
	for _, m := range n.members {
		if v := m.value; !v.isText() || !strings.Contains(v.text, "\n") {
			inside = append(inside, v)
		} else if nodes, err := readNodes(file, []byte(v.text), v.Place); err == nil {
			inside = append(inside, nodes...) // otherwise it is something else
		}
	}
	for _, v := range inside {
		found = inspect(found, file, v, depth+1)
	}
	return found
}

// recognize returns the tool whose configuration a mapping is. Values: it is the values of its Helm
// chart.
func recognize(n *node) (tool string, values bool) {
	route := n.get("route")
	switch {
	case !n.isMapping():
	case n.get("receivers").isList(), route.get("routes").isList(), route.get("match").isList():
		return eventExporter, false
	case n.get("resourcesToWatch").isMapping():
		return kubewatchName, true
	case n.get("apiVersion") != nil:
	case hasOneOf(n.get("resource"), watched), hasOneOf(n.get("handler"), handlers),
		len(n.list("customresources")) > 0:
		return kubewatchName, false
	}
	return "", false
}

func hasOneOf[V any](n *node, known map[string]V) bool {
	return n.isMapping() && slices.ContainsFunc(n.members, func(m member) bool {
		_, is := known[m.name]
		return is
	})
}
