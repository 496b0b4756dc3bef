package migrate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/informerd/informerd/docs"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/config/yamltext"
	"github.com/informerd/informerd/internal/plan"
)

// draft is a configuration that is being put together.
type draft struct {
	from      Peer
	options   Options
	report    Report
	settings  []*part // cluster, leaderElection
	informers []*part
	listeners []*part
	outputs   []*part
	names     map[string]bool // of listeners and outputs, and of variables
}

// part is a named part of a configuration, with where it comes from.
type part struct {
	name    string
	comment string
	value   any // what is written as JSON
	finding Finding
	stdout  bool // it is a placeholder
}

// fields is a mapping in the order in which it is written.
type fields []field

type field struct {
	name  string
	value any
}

// MarshalJSON writes the fields in their order, but for those that are nil.
func (f fields) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, one := range f {
		if one.value == nil {
			continue
		}
		value, err := json.Marshal(one.value)
		if err != nil {
			return nil, err
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteString(quoted(one.name) + ":")
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func newDraft(from Peer, o Options) *draft {
	if o.StateDir == "" {
		o.StateDir = "/var/lib/informerd"
	}
	return &draft{from: from, options: o, report: Report{From: from}, names: map[string]bool{}}
}

var notInLabels = regexp.MustCompile(`[^a-z0-9]+`)

// label returns a name that no other part of the kind has, as informerd wants names.
func (d *draft) label(kind, text string) string {
	text = strings.Trim(notInLabels.ReplaceAllString(strings.ToLower(text), "-"), "-")
	text = strings.Trim(text[:min(len(text), 50)], "-")
	if text == "" {
		text = kind
	}
	return d.unique(kind, text, "-")
}

func (d *draft) unique(kind, name, separator string) string {
	for n, text := 2, name; ; n++ {
		if key := kind + " " + text; !d.names[key] {
			d.names[key] = true
			return text
		}
		text = fmt.Sprintf("%s%s%d", name, separator, n)
	}
}

// variable returns the value that an environment variable has, which is a placeholder.
func (c *converter) variable(name, format string, args ...any) fields {
	name = strings.Trim(strings.ToUpper(notInNames.ReplaceAllString(name, "_")), "_")
	if name == "" || name[0] <= '9' {
		name = "VALUE_" + name
	}
	name = c.unique("variable", name, "_")
	c.report.Placeholders = append(c.report.Placeholders,
		Placeholder{name, "variable",
			"set it to " + shownComment(fmt.Sprintf(format, args...))})
	return fields{{"fromEnv", name}}
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9]+`)

// instead makes an output that is a placeholder: it writes to stdout.
func (c *converter) instead(name, comment, format string, args ...any) *part {
	p := &part{name: name, stdout: true, comment: comment,
		value: fields{{"stdout", struct{}{}}}}
	c.report.Placeholders = append(c.report.Placeholders,
		Placeholder{name, "output", shownComment(fmt.Sprintf(format, args...))})
	return p
}

// known returns the part of that name.
func known(parts []*part, name string) *part {
	for _, p := range parts {
		if p.name == name {
			return p
		}
	}
	return nil
}

// sharedInformer adds an informer unless it is there, and returns its name.
func (d *draft) sharedInformer(name string, value fields) string {
	text := mustJSON(value)
	for _, p := range d.informers {
		if mustJSON(p.value) == text {
			return p.name
		}
	}
	name = d.label("informer", name)
	d.informers = append(d.informers, &part{name: name, value: value})
	return name
}

func mustJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // values are made here, of texts and numbers
	}
	return string(text)
}

// finish takes out what informerd refuses, and returns the text.
func (d *draft) finish(sources []Source) ([]byte, error) {
	schemas, err := plan.BuiltinSchemas()
	if err != nil {
		return nil, err
	}
	for range 20 {
		if d.report.Empty = len(d.listeners) == 0; d.report.Empty {
			d.report.Placeholders = nil
			d.report.sort(sources)
			return nil, nil
		}
		d.dropUnused()
		text, err := d.text(sources)
		if err != nil {
			return nil, err
		}
		warnings, mistakes, err := check(text, schemas)
		if err != nil {
			return nil, err
		}
		if len(mistakes) == 0 {
			d.warned(warnings)
			d.report.sort(sources)
			return text, nil
		}
		if !d.repair(mistakes) {
			return nil, fmt.Errorf("the result would not be valid: %w", mistakes)
		}
	}
	return nil, errors.New("the result would not be valid")
}

// warned reports warnings about outputs, such as about a password on a connection without TLS.
func (d *draft) warned(warnings config.Errors) {
	for _, w := range warnings {
		for _, p := range d.outputs {
			if strings.HasPrefix(w.Field, document.Join("outputs", p.name)+".") {
				f := p.finding
				f.Level, f.Message = Note, "informerd warns: "+w.Message+"; "+w.Hint
				d.report.Findings = append(d.report.Findings, f)
			}
		}
	}
}

// check returns the mistakes in the text of a configuration, those in expressions included, and
// warnings.
func check(text []byte, schemas plan.Schemas) (warnings, mistakes config.Errors, err error) {
	cfg, err := config.Loading{More: plan.Mistakes(schemas, false),
		Stdin: bytes.NewReader(text)}.Load("-")
	if errors.As(err, &mistakes) || err != nil {
		if len(mistakes) > 0 {
			err = nil
		}
		return nil, mistakes, err
	}
	_, mistakes = plan.Compile(cfg, schemas)
	return cfg.Warnings(), mistakes, nil
}

// repair takes out parts with mistakes. It reports whether there were any.
func (d *draft) repair(mistakes config.Errors) (repaired bool) {
	done := map[*part]bool{}
	for _, m := range mistakes {
		for _, list := range []struct {
			field string
			parts *[]*part
		}{{"outputs", &d.outputs}, {"listeners", &d.listeners}, {"informers", &d.informers},
			{"", &d.settings}} {
			for _, p := range slices.Clone(*list.parts) {
				at := document.Join(list.field, p.name)
				if m.Field != at && !strings.HasPrefix(m.Field, at+".") || done[p] {
					continue
				}
				done[p], repaired = true, true
				f := p.finding
				f.Level = Lost
				f.Message = "informerd refuses it: " + strings.TrimPrefix(m.Message, at+".")
				d.report.Findings = append(d.report.Findings, f)
				if m.Field == at+".data" {
					p.value = slices.DeleteFunc(p.value.(fields),
						func(f field) bool { return f.name == "data" })
					continue
				}
				if list.field == "outputs" && !p.stdout {
					c := converter{draft: d}
					*p = *c.instead(p.name, p.comment, "it was refused; write it by hand")
					continue
				}
				*list.parts = slices.DeleteFunc(*list.parts,
					func(other *part) bool { return other == p })
			}
		}
	}
	return repaired
}

// dropUnused removes outputs and informers that no listener has, or has any more.
func (d *draft) dropUnused() {
	used := map[string]bool{}
	listeners := ""
	for _, l := range d.listeners {
		listeners += mustJSON(l.value)
	}
	d.informers = slices.DeleteFunc(d.informers, func(p *part) bool {
		// names need no escapes, and the quotes of a lookup are escaped in JSON
		return !strings.Contains(listeners, `"informer":"`+p.name+`"`) &&
			!strings.Contains(listeners, `cached(\"`+p.name+`\"`)
	})
	for _, l := range d.listeners {
		for _, f := range l.value.(fields) {
			if names, are := f.value.([]string); are && f.name == "outputs" {
				for _, name := range names {
					used[name] = true
				}
			}
		}
	}
	d.outputs = slices.DeleteFunc(d.outputs, func(p *part) bool { return !used[p.name] })
}

// text writes the configuration.
func (d *draft) text(sources []Source) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(docs.SchemaComment)
	for _, s := range sources {
		fmt.Fprintf(&b, "# Converted from %s (%s) by informerd migrate.\n",
			document.Shown(s.File), d.from)
	}
	fmt.Fprintf(&b, "apiVersion: %s\nkind: %s\n", config.APIVersion, config.Kind)
	settings := d.settings
	if slices.ContainsFunc(d.outputs, func(p *part) bool { return p.remote() }) {
		settings = append(slices.Clone(settings), &part{name: "state",
			comment: "Messages that a receiver refuses are kept here: see informerd dlq.",
			value:   fields{{"dir", d.options.StateDir}}})
	}
	for _, p := range settings {
		if err := p.write(&b, 0); err != nil {
			return nil, err
		}
	}
	for _, section := range []struct {
		name  string
		parts []*part
	}{{"informers", d.informers}, {"listeners", d.listeners}, {"outputs", d.outputs}} {
		if len(section.parts) > 0 {
			b.WriteString(section.name + ":\n")
		}
		for _, p := range section.parts {
			if err := p.write(&b, 2); err != nil {
				return nil, err
			}
		}
	}
	return b.Bytes(), nil
}

// remote reports whether an output may refuse messages.
func (p *part) remote() bool {
	return slices.ContainsFunc(p.value.(fields), func(f field) bool {
		return f.name == "webhook" || f.name == "slack" || f.name == "kafka"
	})
}

func (p *part) write(b *bytes.Buffer, indent int) error {
	lead := strings.Repeat(" ", indent)
	for line := range strings.Lines(p.comment) {
		b.WriteString(strings.TrimRight(lead+"# "+shownComment(line), " ") + "\n")
	}
	value, err := yamltext.FromJSON([]byte(mustJSON(p.value)))
	if err != nil {
		return err
	}
	// on is a truth value in YAML 1.1 alone, and nobody writes it in quotes
	text := strings.Replace("\n"+string(value), "\n\"on\":", "\non:", 1)[1:]
	b.WriteString(lead + yamltext.String(p.name, 0) + ":")
	if strings.HasPrefix(text, "{}") {
		b.WriteString(" " + text)
		return nil
	}
	b.WriteString("\n" + yamltext.Indent(text, indent+2))
	return nil
}

// shownComment returns a line of a comment or a report without what is not text.
func shownComment(line string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, line)
}

func another(name string, value any) field { return field{name, value} }
