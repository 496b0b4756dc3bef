package migrate

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
)

// anyFile is what mistakes in a source call it.
var anyFile = &document.Kind{Noun: "file"}

// finder searches a file for configurations: the file itself, and what is in manifests, in values
// of a Helm chart and in scripts.
type finder struct {
	file     string
	from     Peer // empty: any
	found    []original
	advanced bool // kubewatch's environment variable ADVANCED_FILTERS is set
	scripts  int  // those without a configuration that can be read
}

func samePlace(at document.Place) document.Place { return at }

func (f *finder) search(data []byte) config.Errors {
	if strings.HasPrefix(string(data), "#!") {
		if err := document.CheckCharacters(f.file, data); err != nil {
			return config.Errors{*err}
		}
		f.script(string(data), stem(f.file), samePlace)
		return nil
	}
	nodes, err := document.Nodes(anyFile, f.file, data)
	if err != nil {
		return err.(config.Errors)
	}
	for _, n := range nodes {
		f.inspect(n, stem(f.file), samePlace, 0)
	}
	return nil
}

// maxInside is how deep a configuration may be inside of manifests and values.
const maxInside = 12

// inspect looks whether a value is a configuration, or has one in it. Name is that of the member.
func (f *finder) inspect(n *document.Node, name string, place func(document.Place) document.Place,
	depth int) {
	if peer, values := recognize(n); peer != "" && (f.from == "" || f.from == peer) {
		f.found = append(f.found, original{peer: peer, file: f.file, name: name, at: place(n.Place),
			root: n, place: place, values: values})
		if !values {
			return
		}
	}
	if depth > maxInside {
		return
	}
	if n.String("name") == "ADVANCED_FILTERS" && truths[n.String("value")] {
		f.advanced = true
	}
	for _, item := range n.Items {
		f.inspect(item, name, place, depth+1)
	}
	for _, m := range n.Members {
		switch v := m.Value; {
		case v.IsText() && strings.Contains(v.Text, "\n"):
			f.text(v, stem(m.Name), place, depth)
		default:
			f.inspect(v, name, place, depth+1)
		}
	}
}

// truths are the values that kubewatch takes for true.
var truths = map[string]bool{"1": true, "t": true, "T": true, "true": true, "TRUE": true,
	"True": true}

// text looks at a text of several lines in a manifest.
func (f *finder) text(n *document.Node, name string, place func(document.Place) document.Place,
	depth int) {
	inside := func(at document.Place) document.Place { return place(n.Inside(at)) }
	if strings.HasPrefix(n.Text, "#!") {
		f.script(n.Text, name, inside)
		return
	}
	nodes, err := document.Nodes(anyFile, f.file, []byte(n.Text))
	if err != nil {
		return // it is something else
	}
	for _, inner := range nodes {
		f.inspect(inner, name, inside, depth+1)
	}
}

// recognize returns the peer whose configuration a mapping is. Values: it is the values of its Helm
// chart.
func recognize(n *document.Node) (peer Peer, values bool) {
	switch {
	case !n.IsMapping():
	case n.Get("configVersion") != nil:
		return ShellOperator, false
	case n.Get("receivers").IsList(), n.Get("route").IsMapping() &&
		(n.Get("route").Get("routes").IsList() || n.Get("route").Get("match").IsList()):
		return EventExporter, false
	case n.Get("resourcesToWatch").IsMapping():
		return Kubewatch, true
	case n.Get("apiVersion") != nil:
	case knowsAll(n.Get("resource"), watched), n.Get("handler").IsMapping() &&
		knowsAll(n.Get("handler"), handlerNames), isCustom(n.Get("customresources")):
		return Kubewatch, false
	}
	return "", false
}

// knowsAll reports whether a value is a mapping with members of which at least one is known, and
// none is a mapping where a switch is expected.
func knowsAll[V any](n *document.Node, known map[string]V) bool {
	if !n.IsMapping() {
		return false
	}
	for _, m := range n.Members {
		if _, is := known[m.Name]; is {
			return true
		}
	}
	return false
}

func isCustom(n *document.Node) bool {
	return n.IsList() && len(n.Items) > 0 && n.Items[0].Get("resource") != nil
}

func (f *finder) nothing() config.Error {
	e := config.Error{File: f.file, Message: "there is no configuration of event-exporter, kubewatch or shell-operator in it"}
	if f.from != "" {
		e.Message = fmt.Sprintf("there is no configuration of %s in it", f.from)
	}
	if f.scripts > 0 {
		e.Message = "the hook does not have its configuration as a text"
		e.Hint = "run it with --config, and convert what it prints"
	}
	return e
}

var (
	heredoc = regexp.MustCompile(`<<(-?)\s*(["']?)([A-Za-z_][A-Za-z0-9_]*)["']?`)
	printed = regexp.MustCompile(`(?:echo|printf|print\()\s*'(\{[^']*"configVersion"[^']*\})'`)
)

// script looks for the configuration that a hook prints, which is a text in it.
func (f *finder) script(text, name string, place func(document.Place) document.Place) {
	before := len(f.found)
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		if m := printed.FindStringSubmatchIndex(lines[i]); m != nil {
			at := document.Place{Line: i + 1,
				Column: utf8.RuneCountInString(lines[i][:m[2]]) + 1}
			f.printedText(lines[i][m[2]:m[3]], name, at, place)
		}
		m := heredoc.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		end := i + 1
		for end < len(lines) && strings.TrimLeft(lines[end], "\t") != m[3] {
			end++
		}
		body := lines[i+1 : min(end, len(lines))]
		at := document.Place{Line: i + 2, Column: 1}
		f.printedText(strings.Join(body, "\n"), name, at, place)
		i = end
	}
	if len(f.found) == before {
		f.scripts++
	}
}

// printedText looks at a text that a script prints. It begins at a place in the script.
func (f *finder) printedText(text, name string, at document.Place,
	place func(document.Place) document.Place) {
	if !strings.Contains(text, "configVersion") {
		return
	}
	nodes, err := document.Nodes(anyFile, f.file, []byte(text))
	if err != nil {
		return
	}
	for _, n := range nodes {
		before := len(f.found)
		f.inspect(n, name, func(inner document.Place) document.Place {
			if inner.Line == 1 {
				inner.Column += at.Column - 1
			}
			inner.Line += at.Line - 1
			return place(inner)
		}, maxInside)
		for i := before; i < len(f.found); i++ {
			f.found[i].script = true
		}
	}
}
