package object

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

var seeds = []string{
	pod, `{}`, `{"metadata":{"name":"a","name":"b"}}`, `{"metadata":{"na\u006de":"a"}}`,
	`[1,-0,1e400,0.1,"\ud800\udc00\ud800x"]`,
	`{"a":{"b":[{"c":"\\\"}]"}]}}`, "\ufeff{}", `{"":{"":""}}`, `"\u2028"`, `{"a":1}{"b":2}`,
	strings.Repeat(`{"a":[`, 50),
}

// FuzzScan compares the scanner with encoding/json: both take the same texts.
func FuzzScan(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := string(text)
		end, err := ScanValue(text)
		ok := err == nil && jsontext.SkipSpace(s, end) == len(s)
		if valid := json.Valid(text); ok != valid {
			t.Fatalf("ScanValue: %v (end %d of %d), json.Valid: %v", err, end, len(s), valid)
		}
		if errors.Is(err, scan.ErrTruncated) && end > len(s) {
			t.Fatalf("end %d is outside of the text", end)
		}
	})
}

// FuzzWalk compares every walk over valid text with what encoding/json decodes from it. The text
// goes through a parser, as a part of an object, which removes duplicate names.
func FuzzWalk(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !json.Valid([]byte(s)) || strings.ToValidUTF8(s, "") != s {
			// Not valid: any answer will do, but no panic.
			_ = valueAt(s, 0).Any()
			return
		}
		o, err := (&Parser{}).Parse(
			[]byte(`{"apiVersion":"v1","kind":"K","metadata":{"name":"a"},"x":` + s + `}`))
		if err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(strings.NewReader(s))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil {
			t.Skip(err)
		}
		if got := MustCompilePath("x").Lookup(o).Any(); !reflect.DeepEqual(normal(got),
			normal(want)) {
			t.Fatalf("%s\n got %v\nwant %v", s, got, want)
		}
	})
}

// FuzzParse: an Object is valid JSON, is read again to the same header, and has nothing that was to
// be dropped.
func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p := &Parser{APIVersion: "v1", Kind: "Pod"}
		if err := p.Drop(MustCompilePath("spec.a"), MustCompilePath("spec.b.c")); err != nil {
			t.Fatal(err)
		}
		o, err := p.Parse(text)
		if err != nil {
			return
		}
		if !json.Valid([]byte(o.JSON())) {
			t.Fatalf("not JSON: %s", o.JSON())
		}
		again, err := p.Parse([]byte(o.JSON()))
		if err != nil || again.header != o.header || again.JSON() != o.JSON() {
			t.Fatalf("read again: %v\n%s\n%s", err, o.JSON(), again.JSON())
		}
		for _, path := range []Path{MustCompilePath("spec"), MustCompilePath("status")} {
			if a, b := path.Lookup(o), path.In(o.Value()); a != b {
				t.Fatalf("%s: %s by the header, %s by the text of %s", path, a.Raw(), b.Raw(),
					o.JSON())
			}
		}
		for _, path := range []string{"metadata.managedFields", "spec.a", "spec.b.c"} {
			if v := MustCompilePath(path).Lookup(o); v.Exists() {
				t.Fatalf("%s is still there: %s", path, o.JSON())
			}
		}
	})
}

// hasDuplicates reports whether any object in valid text has duplicate names.
func hasDuplicates(s string) bool {
	v := valueAt(s, 0)
	dup := false
	var walk func(v Value)
	walk = func(v Value) {
		seen := map[string]bool{}
		v.EachMember(func(key string, member Value) bool {
			dup = dup || seen[key]
			seen[key] = true
			walk(member)
			return true
		})
		v.Each(func(item Value) bool { walk(item); return true })
	}
	walk(v)
	return dup
}

// normal makes numbers comparable: all become the text of the float64, or stay text beyond it.
func normal(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			out[k] = normal(x)
		}
		return out
	case []any:
		out := []any{}
		for _, x := range v {
			out = append(out, normal(x))
		}
		return out
	case int:
		return float64(v)
	case json.Number:
		if f, err := v.Float64(); err == nil {
			return f
		}
		return v
	}
	return v
}
