package document

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

func TestFromJSON(t *testing.T) {
	const text = `{"kind":"Pod","z":1.50,"labels":{},"args":[],"a":{"on":"yes","app.kubernetes.io/name":"web","n":null,"ok":true,
"list":["x",[1,[2]],{"b":"1","c":{"d":["e: f"]}}],"script":"one\n  two\n","date":"2026-01-02","quote":"say \"no\"","esc":"\u001b[31m"}}`
	const want = `kind: Pod
z: 1.50
labels: {}
args: []
a:
  "on": "yes"
  app.kubernetes.io/name: web
  "n": null
  ok: true
  list:
    - x
    - - 1
      - - 2
    - b: "1"
      c:
        d:
          - 'e: f'
  script: |
    one
      two
  date: "2026-01-02"
  quote: say "no"
  esc: "\e[31m"
`
	got, err := FromJSON([]byte(text))
	if err != nil || string(got) != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got, want)
	}
}

func TestFromJSONOfBrokenText(t *testing.T) {
	for _, text := range []string{"", "{", `{"a":`, `["x",`, `{"a":1]`} {
		if got, err := FromJSON([]byte(text)); err == nil {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Any value is the same when a YAML parser reads it back.
func TestWhatIsWrittenIsReadBack(t *testing.T) {
	texts := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune(
		"ab \n\t:#-'\"\\|>{}[]&*!%@`,?~=<\u0085\u2028\ufeff\x00\x1b1.e0xyYnN"))),
		rapid.SampledFrom([]string{"yes", "No", "null", "~", "1e3", "0x1f", "1_000", "---", "<<",
			" a", "a ", "\t\n", "a\n\n", "\na", "- a", "a: b", "a #b", "!x", "2001-01-01", ".inf", "="}))
	rapid.Check(t, func(t *rapid.T) {
		value := values(texts, 3).Draw(t, "value")
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		var want any
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		written, err := FromJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		var got any
		if err := yaml.Unmarshal(written, &got); err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		if got := asJSON(got); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %#v\nwant %#v\n%s", got, want, written)
		}
	})
}

// values returns a generator of JSON values.
func values(texts *rapid.Generator[string], depth int) *rapid.Generator[any] {
	all := []*rapid.Generator[any]{texts.AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil),
		rapid.IntRange(math.MinInt32, math.MaxInt32).AsAny()}
	if depth > 0 {
		below := values(texts, depth-1)
		all = append(all, rapid.SliceOfN(below, 0, 4).AsAny(),
			rapid.MapOfN(texts, below, 0, 4).AsAny())
	}
	return rapid.OneOf(all...)
}

// asJSON returns a value with the types that encoding/json has.
func asJSON(v any) any {
	switch v := v.(type) {
	case int:
		return float64(v)
	case map[string]any:
		for name := range v {
			v[name] = asJSON(v[name])
		}
	case []any:
		for i := range v {
			v[i] = asJSON(v[i])
		}
	}
	return v
}
