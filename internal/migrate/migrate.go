package migrate

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
)

// The tools whose configurations are converted.
const (
	eventExporter = "event-exporter"
	kubewatchName = "kubewatch"
)

// Report says how much of the original is in the result.
type Report struct {
	from   string
	Lost   config.Errors // what of the original is not in the result, by place
	unset  []string      // what must be set before the result is run
	placed map[string]int
}

// Convert returns the configuration that does what the sources do, and what of them is not in it.
// The error is a config.Errors if a source cannot be read, or has nothing to convert.
func Convert(sources ...document.Text) (text []byte, report *Report, err error) {
	var all []original
	var mistakes config.Errors
	for _, s := range sources {
		found, err := search(s)
		var wrong config.Errors
		if errors.As(err, &wrong) {
			mistakes = append(mistakes, wrong...)
		} else if len(found) == 0 {
			mistakes = append(mistakes, config.Error{File: s.File,
				Message: "there is no configuration of event-exporter or kubewatch in it"})
		}
		all = append(all, found...)
	}
	if len(mistakes) > 0 {
		return nil, nil, mistakes
	}
	from := all[0].tool
	d := &draft{names: map[string]bool{}, report: Report{from: from, placed: map[string]int{}}}
	for i, s := range sources {
		d.report.placed[s.File] = i
	}
	for _, one := range all {
		c := converter{draft: d, original: one}
		if one.tool != from {
			return nil, nil, config.Errors{{File: one.file, Line: one.root.Line, Column: one.root.Column,
				Message: fmt.Sprintf("this is a configuration of %s, and there is one of %s as well",
					one.tool, from)}}
		}
		if from == eventExporter {
			(&exporter{converter: c}).convert()
		} else {
			(&kubewatch{converter: c}).convert()
		}
	}
	if text, err = d.finish(sources); err == nil && text == nil {
		d.report.Lost = append(d.report.Lost, config.Error{File: all[0].file,
			Line: all[0].root.Line, Column: all[0].root.Column,
			Message: "lost: nothing of it can be converted, so nothing is written"})
	}
	d.report.sort()
	return text, &d.report, err
}

// original is one configuration of a tool.
type original struct {
	tool string
	file string
	root *node
	// values are those of the Helm chart, and not the configuration.
	values bool
}

// converter adds what an original does to a draft.
type converter struct {
	*draft
	original
}

// lost reports a setting that is not in the result.
func (c *converter) lost(n *node, field, format string, args ...any) {
	c.report.Lost = append(c.report.Lost, c.finding(n.Place, field, fmt.Sprintf(format, args...)))
}

func (c *converter) finding(at document.Place, field, message string) config.Error {
	return config.Error{File: c.file, Line: at.Line, Column: at.Column,
		Message: "lost: " + printable(field+": "+message)}
}

// sort orders the findings by place, files as they were read, and removes those that occur twice.
func (r *Report) sort() {
	slices.SortStableFunc(r.Lost, func(a, b config.Error) int {
		return cmp.Or(cmp.Compare(r.placed[a.File], r.placed[b.File]), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column))
	})
	r.Lost = slices.Compact(r.Lost)
}

// Write writes the report: one line for each finding.
func (r *Report) Write(w io.Writer) error {
	var b strings.Builder
	for _, f := range r.Lost {
		fmt.Fprintln(&b, f)
	}
	for _, text := range r.unset {
		fmt.Fprintf(&b, "before you run it: %s\n", text)
	}
	fmt.Fprintf(&b, "converted from %s: %d lost\n", r.from, len(r.Lost))
	_, err := io.WriteString(w, b.String())
	return err
}
