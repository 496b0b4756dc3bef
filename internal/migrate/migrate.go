package migrate

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
)

// Peer is a tool whose configurations are converted.
type Peer string

// The peers.
const (
	EventExporter Peer = "event-exporter"
	Kubewatch     Peer = "kubewatch"
	ShellOperator Peer = "shell-operator"
)

// Peers are all peers, in the order of messages.
var Peers = []Peer{EventExporter, Kubewatch, ShellOperator}

// Source is a file to convert.
type Source struct {
	File string
	Data []byte
}

// Options are what Convert is asked for.
type Options struct {
	// From is the peer. Empty: the one that the sources look like.
	From Peer
	// StateDir is the folder for dead letters in the result.
	StateDir string
}

// Convert returns the configuration that does what the sources do, and what of them is not in it.
// The error is a config.Errors if a source cannot be read, or has nothing to convert.
func Convert(o Options, sources ...Source) (text []byte, report *Report, err error) {
	var all []original
	var mistakes config.Errors
	advanced := false
	for _, s := range sources {
		f := finder{file: s.File, from: o.From}
		if err := f.search(s.Data); err != nil {
			mistakes = append(mistakes, err...)
			continue
		}
		if len(f.found) == 0 {
			mistakes = append(mistakes, f.nothing())
		}
		all = append(all, f.found...)
		advanced = advanced || f.advanced
	}
	if len(mistakes) > 0 {
		return nil, nil, mistakes
	}
	from := all[0].peer
	for _, other := range all {
		if other.peer != from {
			return nil, nil, config.Errors{{File: other.file, Line: other.at.Line,
				Column: other.at.Column, Message: fmt.Sprintf(
					"this is a configuration of %s, and there is one of %s as well", other.peer, from),
				Hint: "convert one of them with --from, or each on its own"}}
		}
	}
	d := newDraft(from, o)
	for _, one := range all {
		c := converter{draft: d, original: one}
		switch from {
		case EventExporter:
			(&exporter{converter: c}).convert()
		case Kubewatch:
			(&kubewatch{converter: c, advanced: advanced}).convert()
		case ShellOperator:
			(&hook{converter: c}).convert()
		}
	}
	text, err = d.finish(sources)
	return text, &d.report, err
}

// original is one configuration of a peer.
type original struct {
	peer Peer
	file string
	name string // of the hook, or the file without its ending
	at   document.Place
	root *document.Node
	// place returns the place in the file of one in the text that root is from.
	place func(document.Place) document.Place
	// values are those of the Helm chart, and not the configuration.
	values bool
	// script: the configuration is from a script.
	script bool
}

// converter adds what an original does to a draft.
type converter struct {
	*draft
	original
}

// find reports something about a setting, at its value.
func (c *converter) find(level Level, n *document.Node, field, format string, args ...any) {
	c.findAt(level, n.Place, field, format, args...)
}

func (c *converter) findAt(level Level, at document.Place, field, format string, args ...any) {
	at = c.place(at)
	c.report.Findings = append(c.report.Findings, Finding{File: c.file, Line: at.Line,
		Column: at.Column, Level: level, Field: shownComment(field),
		Message: shownComment(fmt.Sprintf(format, args...))})
}

// unknown reports members that are not known, which the peer ignores.
func (c *converter) unknown(n *document.Node, field string, known ...string) {
	if n == nil {
		return
	}
	for _, m := range n.Members {
		if !slices.Contains(known, m.Name) {
			c.findAt(Note, m.Place, document.Join(field, m.Name), "%s ignores it", c.peer)
		}
	}
}

// stem returns the name of a file without folder and ending.
func stem(file string) string {
	base := filepath.Base(file)
	if name := strings.TrimSuffix(base, filepath.Ext(base)); name != "" {
		return name
	}
	return strings.TrimPrefix(base, ".")
}
