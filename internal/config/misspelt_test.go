package config

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config/document"
)

// fieldsAt is a mapping with known fields, and where it is in a configuration.
type fieldsAt struct {
	t     reflect.Type
	path  string
	lines []string
}

// eachFieldsAt collects all sections of a type, each at the first place that there is for it.
func eachFieldsAt(t reflect.Type, path string, lines []string, all map[reflect.Type]fieldsAt) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	indent := strings.Repeat("  ", len(lines))
	switch t.Kind() {
	case reflect.Map:
		eachFieldsAt(t.Elem(), document.Join(path, "a"), append(lines[:len(lines):len(lines)], indent+"a:"), all)
	case reflect.Slice:
		eachFieldsAt(t.Elem(), document.Item(path, 0), append(lines[:len(lines):len(lines)], indent+"-"), all)
	case reflect.Struct:
		if _, known := all[t]; known || t.PkgPath() != reflect.TypeFor[Config]().PkgPath() {
			return
		}
		all[t] = fieldsAt{t, path, lines}
		for _, f := range document.FieldsOf(t) {
			eachFieldsAt(f.Type, document.Join(path, f.Name),
				append(lines[:len(lines):len(lines)], indent+f.Name+":"), all)
		}
	}
}

var capital = regexp.MustCompile(`[A-Z]`)

// misspellings are those of a name that people write, but for those that are names themselves.
func misspellings(name string) (all []string) {
	if name == "" {
		return nil // the fields of another type
	}
	if len(name) > 4 {
		middle := len(name) / 2
		all = append(all, name[:middle]+name[middle+1:], name+"x",
			name[:middle]+name[middle:middle+1]+name[middle:])
		if name[middle] != name[middle-1] {
			all = append(all, name[:middle-1]+name[middle:middle+1]+name[middle-1:middle]+
				name[middle+1:])
		}
	}
	apart := func(sign string) string {
		return capital.ReplaceAllStringFunc(name, func(s string) string {
			return sign + strings.ToLower(s)
		})
	}
	return append(all, strings.ToUpper(name), strings.ToUpper(name[:1])+name[1:], apart("_"),
		apart("-"), strings.ToLower(name))
}

// Each misspelt field of each section is answered with its right name, at its place, and with
// nothing else about that section.
func TestMisspeltFieldsHaveTheirNames(t *testing.T) {
	all := map[reflect.Type]fieldsAt{}
	eachFieldsAt(reflect.TypeFor[Config](), "", nil, all)
	tried := 0
	for _, s := range all {
		fields := map[string]bool{}
		for _, f := range document.FieldsOf(s.t) {
			fields[f.Name] = f.Name != ""
		}
		for name := range fields {
			for _, wrong := range misspellings(name) {
				if fields[wrong] || s.path == "" && (name == "kind" || name == "apiVersion") {
					continue
				}
				tried++
				in, line := "", len(s.lines)+3
				if s.path != "" {
					in = " in " + s.path
				}
				text := "apiVersion: informerd.dev/v1alpha1\nkind: Config\n" +
					strings.Join(append(s.lines[:len(s.lines):len(s.lines)],
						strings.Repeat("  ", len(s.lines))+wrong+": x"), "\n") + "\n"
				_, err := Parse("x.yaml", []byte(text))
				want := fmt.Sprintf("x.yaml:%d:%d: unknown field %q%s; ", line,
					2*len(s.lines)+1, wrong, in)
				if err == nil || !regexp.MustCompile(regexp.QuoteMeta(want)+`.*\b`+name+`\b`).
					MatchString(err.Error()) {
					t.Errorf("%s%s: %s\n got %v\nwant %s… %s", s.path, wrong, text, err, want, name)
				}
			}
		}
	}
	if tried < 500 {
		t.Errorf("only %d were tried", tried)
	}
}
