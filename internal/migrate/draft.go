package migrate

import (
	"bytes"
	"cmp"
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
	"github.com/informerd/informerd/internal/plan"
)

// draft is a configuration that is being put together.
type draft struct {
	report                                  Report
	settings, informers, listeners, outputs []*part
	names                                   map[string]bool // of parts, and of variables
}

// part is a named part of a configuration, with where it comes from.
type part struct {
	name    string
	value   fields
	from    config.Error // its message has the setting
	outputs []string     // of a listener
}

// named reports whether one of the parts has the name.
func named(name string, parts []*part) bool {
	return slices.ContainsFunc(parts, func(p *part) bool { return p.name == name })
}

// fields is a mapping in the order in which it is written.
type fields []field

type field struct {
	name  string
	value any
}

func (f fields) with(name string, value any) fields { return append(f, field{name, value}) }

// withSome adds a mapping unless it is empty.
func (f fields) withSome(name string, value fields) fields {
	if len(value) == 0 {
		return f
	}
	return f.with(name, value)
}

// MarshalJSON writes the fields in their order.
func (f fields) MarshalJSON() ([]byte, error) {
	var parts []string
	for _, one := range f {
		value, err := json.Marshal(one.value)
		if err != nil {
			return nil, err
		}
		parts = append(parts, quoted(one.name)+":"+string(value))
	}
	return []byte("{" + strings.Join(parts, ",") + "}"), nil
}

var notInLabels = regexp.MustCompile(`[^a-z0-9]+`)

// label returns a name that no other part of the kind has, as informerd wants names.
func (d *draft) label(kind, text string) string {
	text = strings.Trim(notInLabels.ReplaceAllString(strings.ToLower(text), "-"), "-")
	text = strings.Trim(text[:min(len(text), 50)], "-")
	return d.unique(kind, cmp.Or(text, kind), "-")
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

var notInVariables = regexp.MustCompile(`[^A-Z0-9]+`)

// variable returns the value that a new environment variable has.
func (d *draft) variable(name, what string) fields {
	name = strings.Trim(notInVariables.ReplaceAllString(strings.ToUpper(name), "_"), "_")
	if name == "" || name[0] <= '9' {
		name = "VALUE_" + name
	}
	name = d.unique("variable", name, "_")
	d.report.unset = append(d.report.unset, "set "+name+" to "+printable(what))
	return fields{{"fromEnv", name}}
}

// placeholder is an output that writes to stdout until somebody chooses another one.
func (d *draft) placeholder(name, data string) fields {
	d.report.unset = append(d.report.unset, "output "+name+" writes to stdout: choose another one")
	return dataTo(data, "stdout", struct{}{})
}

// dataTo is an output of a kind.
func dataTo(data, kind string, settings any) fields {
	return fields{{"data", data}, {kind, settings}}
}

// informer adds an informer unless it is there, and returns its name.
func (d *draft) informer(name, resource string, namespaces []string) string {
	if !named(name, d.informers) {
		value := fields{{"resource", resource}}
		if namespaces != nil {
			value = value.with("namespaces", namespaces)
		}
		d.informers = append(d.informers, &part{name: name, value: value})
	}
	return name
}

// finish takes out what informerd refuses, and returns the text.
func (d *draft) finish(sources []document.Text) ([]byte, error) {
	schemas, err := plan.BuiltinSchemas()
	if err != nil {
		return nil, err
	}
	for {
		text, err := d.text(sources)
		if err != nil || text == nil {
			return nil, err
		}
		_, err = config.Loading{More: plan.Mistakes(schemas, false),
			Stdin: bytes.NewReader(text)}.Load("-")
		var mistakes config.Errors
		if !errors.As(err, &mistakes) {
			return text, err
		}
		if !d.takeOut(mistakes[0]) {
			return nil, fmt.Errorf("the result would not be valid: %w", mistakes)
		}
	}
}

// takeOut removes the part with a mistake, and the listeners of an output.
func (d *draft) takeOut(mistake config.Error) (found bool) {
	for section, parts := range map[string]*[]*part{"outputs": &d.outputs,
		"listeners": &d.listeners, "": &d.settings} {
		*parts = slices.DeleteFunc(*parts, func(p *part) bool {
			at := document.Join(section, p.name)
			if found || mistake.Field != at && !strings.HasPrefix(mistake.Field, at+".") {
				return false
			}
			found = true
			p.from.Message += "informerd refuses it: " + strings.TrimPrefix(mistake.Message, at+".")
			d.report.Lost = append(d.report.Lost, p.from)
			d.listeners = slices.DeleteFunc(d.listeners, func(l *part) bool {
				return section == "outputs" && slices.Contains(l.outputs, p.name)
			})
			return true
		})
	}
	return found
}

// text writes the configuration, nil for one without listeners.
func (d *draft) text(sources []document.Text) ([]byte, error) {
	if len(d.listeners) == 0 {
		return nil, nil
	}
	var b bytes.Buffer
	b.WriteString(docs.SchemaComment)
	for _, s := range sources {
		fmt.Fprintf(&b, "# Converted from %s (%s) by informerd migrate.\n",
			document.Shown(s.File), d.report.from)
	}
	whole := fields{{"apiVersion", config.APIVersion}, {"kind", config.Kind},
		{"state", fields{{"dir", "state"}}}}
	whole = append(whole, partValues(d.settings)...)
	listeners := partValues(d.listeners)
	written, err := json.Marshal(listeners)
	if err != nil {
		return nil, err
	}
	informers := slices.DeleteFunc(slices.Clone(d.informers), func(p *part) bool {
		return !bytes.Contains(written, []byte(p.name)) // its listener was refused
	})
	whole = whole.withSome("informers", partValues(informers)).with("listeners", listeners).
		with("outputs", partValues(d.outputs))
	if written, err = json.Marshal(whole); err != nil {
		return nil, err
	}
	text, err := document.FromJSON(written)
	// on is a truth value in YAML 1.1 alone, and nobody writes it in quotes
	text = bytes.ReplaceAll(text, []byte("\n    \"on\":\n"), []byte("\n    on:\n"))
	return append(b.Bytes(), text...), err
}

func partValues(parts []*part) (all fields) {
	for _, p := range parts {
		all = all.with(p.name, p.value)
	}
	return all
}

// printable returns a line of a report without what is not text.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, line)
}
