package config

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/pkg/informer/event"
)

var updateReference = flag.Bool("update", false, "write docs/configuration.md again")

const referencePage = "../../docs/configuration.md"

// reference is docs/configuration.md, made of the types that configurations are decoded into and
// their comments.
type reference struct {
	comments map[string]string // by Type and Type.Field
	done     map[reflect.Type]bool
	queue    []section
	out      strings.Builder
	missing  []string
}

type section struct {
	t    reflect.Type
	path string
}

func TestReference(t *testing.T) {
	r := &reference{comments: typeComments(t), done: map[reflect.Type]bool{}}
	r.out.WriteString(referenceHead)
	r.add(reflect.TypeFor[Config](), "")
	r.run()
	r.out.WriteString("# Policy files\n\nA file of its own, which an entry of `policies` names.\n\n")
	r.add(reflect.TypeFor[Policy](), "")
	r.run()
	r.out.WriteString("# Values in several places\n\n")
	for _, t := range []reflect.Type{reflect.TypeFor[Value](), reflect.TypeFor[Secret](),
		reflect.TypeFor[TLS]()} {
		r.section(section{t, "." + t.Name()})
	}
	got := strings.TrimRight(r.out.String(), "\n") + "\n"
	if len(r.missing) > 0 {
		t.Errorf("without a comment: %s", strings.Join(r.missing, ", "))
	}
	if *updateReference {
		if err := os.WriteFile(referencePage, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(referencePage)
	if err != nil || string(want) != got {
		t.Errorf("%s is not what the types say (%v): make docs writes it again", referencePage, err)
	}
}

const referenceHead = `# Configuration reference

Every field of a configuration and of a policy file. [expressions.md](expressions.md) is about expressions,
[writing-handlers.md](writing-handlers.md) about handlers. This page and the JSON Schema
[config.schema.json](config.schema.json), which ` + "`informerd schema`" +
	` prints for editors, are made
of the types that configurations are read into.

Unknown fields, values of the wrong type and numbers without the unit they need are errors. A
duration is a number and a unit, as in ` + "`90s`, `1h30m`, `7d`" +
	`: d, h, m, s and ms. A quantity of
bytes is a number and a unit, as in ` + "`16Mi`" + `: Ki, Mi, Gi and Ti, or k, M, G and T, of a thousand.

`

// typeComments reads the comments on the types of this package.
func typeComments(t *testing.T) map[string]string {
	t.Helper()
	comments := map[string]string{}
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			types, ok := decl.(*ast.GenDecl)
			if !ok || types.Tok != token.TYPE || strings.HasSuffix(path, "_test.go") {
				continue
			}
			for _, spec := range types.Specs {
				spec := spec.(*ast.TypeSpec)
				comments[spec.Name.Name] = oneParagraph(types.Doc.Text())
				if s, ok := spec.Type.(*ast.StructType); ok {
					for _, field := range s.Fields.List {
						for _, name := range field.Names {
							comments[spec.Name.Name+"."+name.Name] = oneParagraph(field.Doc.Text())
						}
					}
				}
			}
		}
	}
	return comments
}

// wrapped breaks a paragraph into lines of at most 100 characters.
func wrapped(text string) string {
	var b strings.Builder
	length := 0
	for i, word := range strings.Fields(text) {
		switch length += len(word) + 1; {
		case i == 0:
			length = len(word)
		case length > 100:
			b.WriteByte('\n')
			length = len(word)
		default:
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	return b.String()
}

func oneParagraph(text string) string { return strings.Join(strings.Fields(text), " ") }

func (r *reference) add(t reflect.Type, path string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		switch t.Kind() {
		case reflect.Slice:
			path += "[]"
		case reflect.Map:
			path += ".NAME"
		}
		t = t.Elem()
	}
	if t == reflect.TypeFor[InformerRef]() {
		t = reflect.TypeFor[Informer]()
	}
	if isLeaf(t) || t.Kind() != reflect.Struct || shared(t) || r.done[t] {
		return
	}
	r.done[t] = true
	r.queue = append(r.queue, section{t, path})
}

func isLeaf(t reflect.Type) bool {
	return t == reflect.TypeFor[Expression]() || t == reflect.TypeFor[metav1.Duration]() ||
		t == reflect.TypeFor[time.Time]()
}

func (r *reference) run() {
	for len(r.queue) > 0 {
		s := r.queue[0]
		r.queue = r.queue[1:]
		r.section(s)
	}
}

var (
	defaultIn = regexp.MustCompile(`\s*Default: (.*?)\.(?:\s|$)`)
)

func (r *reference) section(s section) {
	title := "`" + strings.TrimPrefix(s.path, ".") + "`"
	if s.path == "" {
		title = "Top level"
	} else if shared(s.t) {
		title = s.t.Name()
	}
	fmt.Fprintf(&r.out, "## %s\n\n%s\n\n", title, wrapped(aboutType(r.comment(s.t.Name()))))
	r.out.WriteString("| field | value | default | |\n|---|---|---|---|\n")
	r.rows(s, "")
	r.out.WriteString("\n")
}

// rows writes a row for each field of a section. The fields of a small mapping follow its own row.
func (r *reference) rows(s section, prefix string) {
	for _, f := range document.FieldsOf(s.t) {
		byDefault, text := defaultOf(f, r.comment(s.t.Name()+"."+f.GoName))
		text, small := described(f, text), smallMapping(s, f)
		if small != nil {
			if _, further, ok := strings.Cut(r.comment(small.Name()), ". "); ok {
				text += " " + further
			}
		}
		fmt.Fprintf(&r.out, "| `%s%s` | %s | %s | %s |\n", prefix, f.Name, cell(valueOf(f)),
			cell(byDefault), cell(text))
		if small != nil {
			r.rows(section{small, join(s.path, f.Name)}, prefix+f.Name+".")
		} else {
			r.add(f.Type, join(s.path, f.Name))
		}
	}
}

// smallMapping returns the type of a field that is a mapping without a section of its own, or nil.
func smallMapping(s section, f document.Field) reflect.Type {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || isLeaf(t) || shared(t) || s.path == "" ||
		t == reflect.TypeFor[InformerRef]() {
		return nil
	}
	n := len(document.FieldsOf(t))
	if n > 4 || n > 0 && s.t == reflect.TypeFor[Output]() {
		return nil
	}
	return t
}

// shared reports whether values of a type are in several places, so that its section is at the end.
func shared(t reflect.Type) bool {
	return t == reflect.TypeFor[Value]() || t == reflect.TypeFor[Secret]() ||
		t == reflect.TypeFor[TLS]()
}

func join(path, name string) string { return path + "." + name }

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// defaultOf returns the default of a field, and its comment without it. A default that is not a
// value is in the comment, as in "Default: all."
func defaultOf(f document.Field, comment string) (byDefault, rest string) {
	rules := f.Rules
	switch {
	case rules.Required:
		return "**required**", comment
	case len(rules.Default) > 0 && rules.Zero != "" && rules.Default[0] == "0s":
		return "0, " + rules.Zero, comment
	case len(rules.Default) > 0 && rules.Default[0] == "0s":
		return "0", comment
	case len(rules.Default) > 0:
		return grouped(strings.Join(rules.Default, " and ")), comment
	}
	if m := defaultIn.FindStringSubmatch(comment); m != nil {
		return m[1], strings.Replace(comment, m[0], " ", 1)
	}
	return "", comment
}

// described returns the comment of a field without the field's name in it: Its value, for "Name is
// its value."
func described(f document.Field, comment string) string {
	text := strings.TrimSpace(strings.TrimPrefix(comment, f.GoName+" "))
	text = strings.TrimPrefix(strings.TrimPrefix(text, "is "), "are ")
	return strings.ToUpper(text[:1]) + text[1:]
}

// aboutType returns the comment of a type, for those who write files.
func aboutType(comment string) string {
	return strings.ReplaceAll(comment, " Make one with Load or Parse.", "")
}

// valueOf says what a value of the field may be.
func valueOf(f document.Field) string {
	rules, list := f.Rules, f.Type.Kind() == reflect.Slice || f.Type.Kind() == reflect.Map
	value := valueWord(f.Type)
	switch format := formats()[rules.Format]; {
	case len(rules.Enum) > 0 && list:
		value = "list of " + document.Or(rules.Enum)
	case len(rules.Enum) > 0:
		value = document.Or(rules.Enum)
	case f.Type == reflect.TypeFor[[]event.Op]():
		value = "list of " + document.Or(opWords())
	case format.Noun != "" && !list:
		value += ": " + format.Noun
	}
	if limits := rules.Range(); limits != "" {
		value += ", " + grouped(limits)
	}
	switch {
	case rules.MinItems > 0 && rules.MaxItems > 0:
		value += fmt.Sprintf(", %d to %d", rules.MinItems, rules.MaxItems)
	case rules.MinItems > 0:
		value += ", at least one"
	case rules.MaxItems > 0:
		value += fmt.Sprintf(", at most %d", rules.MaxItems)
	}
	return value
}

var longNumber = regexp.MustCompile(`\b\d{5,}\b`)

// grouped writes large numbers as people read them: 1,000,000.
func grouped(text string) string {
	return longNumber.ReplaceAllStringFunc(text, func(digits string) string {
		for i := len(digits) - 3; i > 0; i -= 3 {
			digits = digits[:i] + "," + digits[i:]
		}
		return digits
	})
}

func (r *reference) comment(key string) string {
	text := r.comments[key]
	if text == "" {
		r.missing = append(r.missing, key)
		return "?"
	}
	return text
}

// valueWord says what a value of the type is, in the words of the errors.
func valueWord(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[metav1.Duration]():
		return "duration"
	case reflect.TypeFor[Bytes]():
		return "bytes"
	case reflect.TypeFor[Expression]():
		return "expression"
	case reflect.TypeFor[InformerRef]():
		return "name or mapping"
	case reflect.TypeFor[event.Op]():
		return "event"
	case reflect.TypeFor[time.Time]():
		return "time"
	case reflect.TypeFor[json.RawMessage]():
		return "anything"
	case reflect.TypeFor[Value]():
		return "[value](#value)"
	case reflect.TypeFor[Secret]():
		return "[secret](#secret)"
	case reflect.TypeFor[TLS]():
		return "[TLS](#tls)"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return valueWord(t.Elem())
	case reflect.Slice:
		return "list of " + valueWord(t.Elem()) + "s"
	case reflect.Map:
		return "names and " + valueWord(t.Elem()) + "s"
	case reflect.Struct:
		if !isLeaf(t) && len(document.FieldsOf(t)) == 0 {
			return "{}"
		}
		return "mapping"
	case reflect.Int:
		return "number"
	case reflect.Bool:
		return "true or false"
	}
	return "text"
}

// What the tags and the comments say of defaults is what a configuration gets.
func TestDefaultsAreWhatTheCommentsSay(t *testing.T) {
	comments := typeComments(t)
	c := mustParse(t,
		"apiVersion: informerd.dev/v1alpha1\nkind: Config\nhttp: {address: \"127.0.0.1:0\"}\nlisteners:\n  a:\n    informer: {resource: pods}\n    buffer: {}\n    retry: {}\n"+
			"    rules: [{name: r, deny: \"true\"}]\n    handler: {wasm: x, limits: {}, grants: {log: {}, kv: {}, cache: {informers: [pods]}, http: {allow: [\"https://a.example.com\"]}, emit: {}}}\n"+
			"    outputs: [out]\ninformers: {pods: {resource: pods}}\noutputs: {out: {stdout: {}}, f: {file: {path: x}}, w: {webhook: {url: https://a.example.com}},\n"+
			"  n: {nats: {servers: [\"nats://a\"], subject: x}}, k: {kafka: {brokers: [\"a:1\"], topic: t, sasl: {username: u, password: {fromEnv: P}}}},\n"+
			"  p: {patch: {}}, s: {slack: {url: {fromEnv: S}}}, a: {alertmanager: {url: http://a}}}\n")
	compared := 0
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Map:
			for _, key := range v.MapKeys() {
				walk(v.MapIndex(key))
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			for _, f := range document.FieldsOf(v.Type()) {
				field, name := v.FieldByName(f.GoName), v.Type().Name()+"."+f.GoName
				walk(field)
				if want, ok := wantedDefault(f, comments[name]); ok {
					compared++
					if got := writtenDefault(field); got != want {
						t.Errorf("%s is %q, want %q", name, got, want)
					}
				}
			}
		}
	}
	walk(reflect.ValueOf(*c))
	if compared < 30 {
		t.Errorf("only %d defaults were compared", compared)
	}
}

// wantedDefault returns the default that a field should have, as text. One that is words, as in
// "all", is the zero value.
func wantedDefault(f document.Field, comment string) (want string, ok bool) {
	if kind := f.Type.Kind(); f.Type == reflect.TypeFor[Expression]() || f.Inline ||
		kind == reflect.Pointer || kind == reflect.Slice &&
		f.Type.Elem().Kind() != reflect.String ||
		kind == reflect.Struct && f.Type != reflect.TypeFor[metav1.Duration]() {
		return "", false
	}
	if len(f.Rules.Default) > 0 {
		return strings.Join(f.Rules.Default, " "), true
	}
	m := defaultIn.FindStringSubmatch(comment)
	return "", m != nil && !strings.Contains(m[1], ",")
}

func writtenDefault(v reflect.Value) string {
	switch value := v.Interface().(type) {
	case metav1.Duration:
		return document.Short(value.Duration)
	case []string:
		return strings.Join(value, " ")
	}
	if v.IsZero() && v.Kind() != reflect.Bool && v.Kind() != reflect.Int {
		return ""
	}
	return fmt.Sprint(v.Interface())
}
