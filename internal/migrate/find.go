package migrate

import (
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
)

// finder searches a file for configurations: the file itself, and what is in manifests and in
// values of a Helm chart.
type finder struct {
	file  string
	found []original
}

func (f *finder) search(data []byte) config.Errors {
	nodes, err := readNodes(f.file, data, document.Place{})
	if err != nil {
		return err.(config.Errors)
	}
	for _, n := range nodes {
		f.inspect(n, stem(f.file), 0)
	}
	return nil
}

// maxInside is how deep a configuration may be inside of manifests and values.
const maxInside = 12

// inspect looks whether a value is a configuration, or has one in it. Name is that of the member.
func (f *finder) inspect(n *node, name string, depth int) {
	if tool, values := recognize(n); tool != "" {
		f.found = append(f.found, original{tool: tool, file: f.file, name: name, root: n,
			values: values})
		return
	}
	if depth > maxInside {
		return
	}
	for _, item := range n.items {
		f.inspect(item, name, depth+1)
	}
	for _, m := range n.members {
		if v := m.value; !v.isText() || !strings.Contains(v.text, "\n") {
			f.inspect(v, name, depth+1)
			continue
		}
		nodes, err := readNodes(f.file, []byte(m.value.text), m.value.Place)
		if err != nil {
			continue // it is something else
		}
		for _, inner := range nodes {
			f.inspect(inner, stem(m.name), depth+1)
		}
	}
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
	if !n.isMapping() {
		return false
	}
	for _, m := range n.members {
		if _, is := known[m.name]; is {
			return true
		}
	}
	return false
}
