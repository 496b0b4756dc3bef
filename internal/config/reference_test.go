package config

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
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
	examples map[string]string // by Type.Field
	done     map[reflect.Type]bool
	queue    []section
	out      strings.Builder
	missing  []string
	wrong    []string // examples that a configuration cannot have
}

type section struct {
	t    reflect.Type
	path string
}

func TestReference(t *testing.T) {
	r := &reference{comments: typeComments(t), examples: map[string]string{},
		done: map[reflect.Type]bool{}}
	c := mustParse(t, full)
	r.collect(reflect.ValueOf(*c))
	r.collect(reflect.ValueOf(
		*mustParse(t, "apiVersion: informerd.dev/v1alpha1\nkind: Config\nlisteners:\n  a:\n    informer: {resource: pods}\n"+
			"    buffer: {overflow: spill, spill: {dir: /var/tmp, bytes: 64Mi}}\n    outputs: [out]\n    handler: {wasm: handlers/x.wasm, config: {threshold: 3}, grants: {http: {private: true, allow: [\"http://a.example.com\"], headers: {X-A: {fromEnv: TOKEN}, X-B: {fromFile: /etc/token}}}}}\noutputs: {out: {stdout: {}}}\n")))
	for _, policy := range []any{
		Policies{Files: "policies/*.yaml", Outputs: []string{"stdout"}, Checkpoint: true},
		Listener{Checkpoint: true},
		Policy{APIVersion: APIVersion, Kind: PolicyKind, Name: "pending",
			Description: "Pods that wait too long.", Resync: metav1.Duration{Duration: time.Hour},
			InformerRef: InformerRef{Name: "pods"},
			Select:      Expression{Text: `object.metadata.namespace == "shop"`}},
		Limits{Fuel: 1000000},
		Tracing{URL: Value{Text: "http://otel-collector.monitoring.svc:4318"}, Every: 1000,
			Timeout: metav1.Duration{Duration: 10 * time.Second}},
	} {
		r.collect(reflect.ValueOf(policy))
	}
	r.out.WriteString(referenceHead)
	r.add(reflect.TypeFor[Config](), "")
	r.run()
	r.out.WriteString("# Policy files\n\nA file of its own, which an entry of `policies` names.\n\n")
	r.add(reflect.TypeFor[Policy](), "")
	r.run()
	r.version(Newest)
	got := strings.TrimRight(r.out.String(), "\n") + "\n"
	if len(r.missing) > 0 {
		t.Errorf("without a comment or an example: %s", strings.Join(r.missing, ", "))
	}
	if len(r.wrong) > 0 {
		t.Errorf("examples that are mistakes:\n%s", strings.Join(r.wrong, "\n"))
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

Every field of a configuration and of a policy file. [filters.md](filters.md) is about expressions,
[writing-handlers.md](writing-handlers.md) about handlers. This page and the JSON Schema
[config.schema.json](config.schema.json), which ` + "`informerd schema`" +
	` prints for editors, are made
of the types that configurations are read into.

Unknown fields, values of the wrong type and numbers without the unit they need are errors. A
duration is a number and a unit, as in ` + "`90s`, `1h30m`, `7d`" +
	`: d, h, m, s and ms. A quantity of
bytes is a number and a unit, as in ` + "`16Mi`" + `: Ki, Mi, Gi and Ti, or k, M, G and T, of a thousand.

`

// version adds what is different in a version of the format.
func (r *reference) version(apiVersion string) {
	version := versions[apiVersion]
	fmt.Fprintf(&r.out, "# The version %s\n\n%s\n\n| in a | %s | %s | its value |\n|---|---|---|---|\n",
		version, wrapped("A file with `apiVersion: "+apiVersion+"` is read as well. It has the fields above, but for these. "+
			"`informerd convert` writes a file in another version; [versions.md](versions.md) says what is promised of each."),
		strings.TrimPrefix(APIVersion, "informerd.dev/"), version)
	for _, t := range slices.SortedFunc(maps.Keys(r.done), func(a, b reflect.Type) int {
		return strings.Compare(a.Name(), b.Name())
	}) {
		for _, f := range document.FieldsOf(t) {
			if there := f.In(version); there.Name != f.Name {
				fmt.Fprintf(&r.out, "| %s | `%s` | `%s` | %s |\n", strings.ToLower(t.Name()), f.Name,
					there.Name, cell(valueOf(there)))
			}
		}
	}
}

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
	if isLeaf(t) || t.Kind() != reflect.Struct || r.done[t] {
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
	title := s.path
	if title == "" {
		title = "Top level"
	} else {
		title = "`" + strings.TrimPrefix(title, ".") + "`"
	}
	about := aboutType(r.comment(s.t.Name()))
	fmt.Fprintf(&r.out, "## %s\n\n%s\n\n", title, wrapped(about))
	fields := document.FieldsOf(s.t)
	if len(fields) == 0 {
		return
	}
	r.out.WriteString("| field | value | default | | example |\n|---|---|---|---|---|\n")
	for _, f := range fields {
		text := r.comment(s.t.Name() + "." + f.GoName)
		byDefault, text := defaultOf(f, text)
		text = described(f, text)
		fmt.Fprintf(&r.out, "| `%s` | %s | %s | %s | %s |\n", f.Name, cell(valueOf(f)),
			cell(byDefault), cell(text), r.example(s.t, f))
		r.add(f.Type, join(s.path, f.Name))
	}
	r.out.WriteString("\n")
}

func join(path, name string) string { return path + "." + name }

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// example returns the example of a field, and notes if it has none or a wrong one.
func (r *reference) example(t reflect.Type, f document.Field) string {
	example, word := r.examples[t.Name()+"."+f.GoName], valueWord(f.Type)
	if example == "" {
		if word != "mapping" && word != "list of mappings" &&
			!strings.HasPrefix(word, "names and") {
			r.missing = append(r.missing, t.Name()+"."+f.GoName)
		}
		return ""
	}
	if err := decodeExample(t, example); err != nil {
		r.wrong = append(r.wrong, fmt.Sprintf("%s of %s: %v", example, t.Name(), err))
	}
	return "`" + cell(example) + "`"
}

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
	switch format := formats[rules.Format]; {
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
		return "text or mapping"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return valueWord(t.Elem())
	case reflect.Slice:
		return "list of " + valueWord(t.Elem()) + "s"
	case reflect.Map:
		return "names and " + valueWord(t.Elem()) + "s"
	case reflect.Struct:
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
