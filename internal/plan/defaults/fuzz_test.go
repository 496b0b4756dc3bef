package defaults

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Whatever parts of a manifest are odd, Fill fills in the rest, at once, and keeps what says
// something.
func TestFillOfOddObjects(t *testing.T) {
	all := manifests(t)
	rapid.Check(t, func(rt *rapid.T) {
		var o any
		decode(t, all[rapid.IntRange(0, len(all)-1).Draw(rt, "manifest")], &o)
		for range rapid.IntRange(1, 5).Draw(rt, "changes") {
			o = changed(rt, o, 0)
		}
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		checkFill(rt, text)
	})
}

// changed returns the value with something of it replaced or removed.
func changed(rt *rapid.T, v any, depth int) any {
	if depth == 0 || rapid.IntRange(0, 4).Draw(rt, "deeper") > 0 {
		switch v := v.(type) {
		case map[string]any:
			if len(v) > 0 {
				key := rapid.SampledFrom(slices.Sorted(maps.Keys(v))).Draw(rt, "key")
				if key == "kind" || key == "apiVersion" {
					return v
				}
				if rapid.IntRange(0, 9).Draw(rt, "removed") == 0 {
					delete(v, key)
				} else {
					v[key] = changed(rt, v[key], depth+1)
				}
				return v
			}
		case []any:
			if len(v) > 0 {
				i := rapid.IntRange(0, len(v)-1).Draw(rt, "index")
				v[i] = changed(rt, v[i], depth+1)
				return v
			}
		}
	}
	return rapid.SampledFrom([]any{nil, "", "odd", 0, json.Number("1.50"), true, []any{}, []any{nil},
		[]any{"odd"}, []any{map[string]any{}}, map[string]any{}, map[string]any{"odd": []any{}},
		[]any{[]any{map[string]any{"a": "b"}}}}).Draw(rt, "value")
}

func FuzzFill(f *testing.F) {
	for _, text := range manifests(f) {
		f.Add(text)
	}
	f.Add([]byte(`{"apiVersion":"v1","kind":"Pod","spec":{"containers":{"a":[{}]}}}`))
	f.Fuzz(func(t *testing.T, text []byte) { checkFill(t, text) })
}

// checkFill checks what is so of any object.
func checkFill(t interface{ Fatalf(string, ...any) }, text []byte) {
	filled, fields := Fill(text)
	if len(fields) == 0 {
		if string(filled) != string(text) {
			t.Fatalf("nothing was filled in, but %s is now %s", text, filled)
		}
		return
	}
	var before, after any
	if err := json.Unmarshal(text, &before); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if err := json.Unmarshal(filled, &after); err != nil {
		t.Fatalf("%v in %s, made of %s", err, filled, text)
	}
	if !keeps(before, after) {
		t.Fatalf("%s was overwritten: %s", text, filled)
	}
	if reflect.DeepEqual(before, after) {
		t.Fatalf("%s has %v already", text, fields)
	}
	if len(slices.Compact(slices.Sorted(slices.Values(fields)))) != len(fields) {
		t.Fatalf("%s: a field is filled in twice: %v", text, fields)
	}
	if again, fields := Fill(filled); string(again) != string(filled) || fields != nil {
		t.Fatalf("%s is filled in again, %v, to %s", filled, fields, again)
	}
}

// keeps reports whether all that says something before is there after.
func keeps(before, after any) bool {
	switch b := before.(type) {
	case nil:
		return true
	case map[string]any:
		a, ok := after.(map[string]any)
		for key, value := range b {
			ok = ok && keeps(value, a[key])
		}
		return ok
	case []any:
		a, ok := after.([]any)
		if ok && len(b) == 0 {
			return true
		}
		if ok = ok && len(a) == len(b); ok {
			for i := range b {
				ok = ok && keeps(b[i], a[i])
			}
		}
		return ok
	}
	return before == "" || before == 0.0 || before == after
}
