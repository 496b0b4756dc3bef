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
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/filters"
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
		Policies{Files: "policies/*.yaml", Outputs: []string{"stdout"}},
		Policy{APIVersion: APIVersion, Kind: PolicyKind, Name: "pending",
			Description: "Pods that wait too long.", Resync: metav1.Duration{Duration: time.Hour},
			InformerRef: InformerRef{Name: "pods"},
			Select:      Expression{Text: `object.metadata.namespace == "shop"`}},
		Limits{Fuel: 1000000},
	} {
		r.collect(reflect.ValueOf(policy))
	}
	r.out.WriteString(referenceHead)
	r.add(reflect.TypeFor[Config](), "")
	r.run()
	r.out.WriteString("# Policy files\n\nA file of its own, which an entry of `policies` names.\n\n")
	r.add(reflect.TypeFor[Policy](), "")
	r.run()
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

Every field of a configuration and of a policy file, made of the types that they are read into; a test holds this page to
them. [filters.md](filters.md) is about expressions, [writing-handlers.md](writing-handlers.md) about handlers.

Unknown fields, values of the wrong type and numbers without the unit they need are errors. A duration is a number and a
unit, as in ` + "`90s`, `1h30m`, `7d`" +
	`: d, h, m, s and ms. A quantity of bytes is a number and a unit, as in ` + "`16Mi`" +
	`: Ki, Mi and Gi.

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
	defaultIn  = regexp.MustCompile(`\s*Default(?:, and 0)?: (.*?)\.(?:\s|$)`)
	requiredIn = regexp.MustCompile(`\s*Required\.`)
)

func (r *reference) section(s section) {
	title := s.path
	if title == "" {
		title = "Top level"
	} else {
		title = "`" + strings.TrimPrefix(title, ".") + "`"
	}
	fmt.Fprintf(&r.out, "## %s\n\n%s\n\n", title,
		strings.ReplaceAll(r.comment(s.t.Name()), " Make one with Load or Parse.", ""))
	fields := fieldsOf(s.t)
	if len(fields.names) == 0 {
		return
	}
	r.out.WriteString("| field | value | default | | example |\n|---|---|---|---|---|\n")
	for _, name := range fields.names {
		field := s.t.Field(fields.index[name])
		text := r.comment(s.t.Name() + "." + field.Name)
		byDefault := ""
		if m := defaultIn.FindStringSubmatch(text); m != nil {
			byDefault, text = m[1], strings.Replace(text, m[0], " ", 1)
		}
		if requiredIn.MatchString(text) {
			byDefault, text = "**required**", requiredIn.ReplaceAllString(text, "")
		}
		example := r.examples[s.t.Name()+"."+field.Name]
		if example == "" && valueWord(field.Type) != "mapping" &&
			!strings.HasPrefix(valueWord(field.Type), "names and") &&
			valueWord(field.Type) != "list of mappings" {
			r.missing = append(r.missing, s.t.Name()+"."+field.Name)
		}
		if example != "" {
			if d := decodeExample(s.t, example); len(d.errs) > 0 {
				r.wrong = append(r.wrong, fmt.Sprintf("%s of %s: %v", example, s.t.Name(), d.errs))
			}
			example = "`" + strings.ReplaceAll(example, "|", `\|`) + "`"
		}
		text = strings.TrimSpace(strings.TrimPrefix(text, field.Name+" "))
		text = strings.TrimPrefix(strings.TrimPrefix(text, "is "), "are ")
		text = strings.ToUpper(text[:1]) + text[1:]
		fmt.Fprintf(&r.out, "| `%s` | %s | %s | %s | %s |\n", name, valueWord(field.Type),
			strings.ReplaceAll(byDefault, "|", `\|`), strings.ReplaceAll(text, "|", `\|`), example)
		r.add(field.Type, join(s.path, "")[:len(s.path)]+"."+name)
	}
	r.out.WriteString("\n")
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
	case reflect.TypeFor[HeaderValue]():
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

// What the comments say of defaults is what a configuration gets.
func TestDefaultsAreWhatTheCommentsSay(t *testing.T) {
	comments := typeComments(t)
	c := mustParse(t, "apiVersion: informerd.dev/v1alpha1\nkind: Config\nhttp: {address: \"127.0.0.1:0\"}\nlisteners:\n  a:\n    informer: {resource: pods}\n    buffer: {}\n    retry: {}\n"+
		"    rules: [{name: r, deny: \"true\"}]\n    handler: {wasm: x, limits: {}, grants: {log: {}, kv: {}, cache: {informers: [pods]}, http: {allow: [\"https://a.example.com\"]}, emit: {}}}\n"+
		"    outputs: [out]\ninformers: {pods: {resource: pods}}\noutputs: {out: {stdout: {}}}\n")
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
			for _, index := range fieldsOf(v.Type()).index {
				walk(v.Field(index))
				m := defaultIn.FindStringSubmatch(
					comments[v.Type().Name()+"."+v.Type().Field(index).Name])
				if m == nil {
					continue
				}
				want, _, _ := strings.Cut(m[1], ",")
				if strings.Contains(m[1], ",") &&
					regexp.MustCompile(`^[0-9,]+$`).MatchString(m[1]) {
					want = strings.ReplaceAll(m[1], ",", "")
				}
				var got string
				switch value := v.Field(index).Interface().(type) {
				case metav1.Duration:
					d, ok := filters.ParseDuration(want)
					if want == "0" {
						d, ok = 0, true
					}
					if got = short(value.Duration); ok && d == value.Duration {
						got = want
					}
				case Bytes:
					got = value.String()
				case int, bool, string:
					got = fmt.Sprint(value)
				default:
					continue
				}
				if slices.Contains([]string{"none", "all", "any", "nothing", "nowhere",
					"its current context", "the system's folder for temporary files",
					"the file's name without its extension"}, want) {
					want = ""
				}
				if compared++; got != want && !(want == "" && got == "0") {
					t.Errorf("%s.%s is %q, and the comment says %q", v.Type().Name(),
						v.Type().Field(index).Name, got, m[1])
				}
			}
		}
	}
	walk(reflect.ValueOf(*c))
	if compared < 20 {
		t.Errorf("only %d defaults were compared", compared)
	}
}
