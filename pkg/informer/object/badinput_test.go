package object

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// What a broken server may send: each text becomes the object that encoding/json makes of it, or
// is refused with a place; the same whether the parser has seen such objects before or not, and cut
// off anywhere it is never taken for whole.
func TestBadInput(t *testing.T) {
	const head = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"x":`
	long := strings.Repeat(`"k":1,`, 1000)
	for what, c := range map[string]struct{ text, refused string }{
		"a name twice":                  {text: head + `{"a":1,"a":2}}`},
		"a name twice, once escaped":    {text: head + `{"a":1,"\u0061":2}}`},
		"a name twice, a slash escaped": {text: head + `{"a/b":1,"a\/b":2}}`},
		"a name a thousand times":       {text: head + `{` + long + `"k":2}}`},
		"a part of an object twice":     {text: head + `{"b":{"c":1},"b":{"d":1}}}`},
		"the spec twice":                {text: head + `1,"spec":{"a":1},"spec":{"b":1}}`},
		"metadata twice": {
			text: head + `1,"metadata":{"name":"b"}}`, refused: "offset 62: metadata occurs twice"},
		"the name twice": {
			text:    `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","name":"b"}}`,
			refused: "offset 55: metadata.name occurs twice"},
		"labels twice": {
			text: `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"a":"1"},"labels":{"b":"2"}}}`},
		"escapes in names":         {text: head + `{"\u006b\n\"":"\ud83d\ude00"}}`},
		"a lone surrogate":         {text: head + `["\ud800","\udc00x","\ud800\ud800"]}`},
		"bytes that are not UTF-8": {text: head + "\"a\xff\xc3\"}"},
		"NUL in a string": {
			text:    head + "\"a\x00\"}",
			refused: "offset 62: expected no control character in a string, found '\\x00'"},
		"NUL between": {
			text: head + "\x00}", refused: "offset 60: expected a JSON value, found '\\x00'"},
		"a byte order mark": {
			text: "\ufeff" + head + `1}`, refused: `offset 0: expected an object, found 'ï'`},
		"a line separator": {text: head + `"\u2028` + "\u2028" + `"}`},
		"numbers no float64 holds": {
			text: head + `[1e400,-0,9223372036854775808,0.1000000000000000055511151231257827]}`},
		"a number with a leading zero": {
			text: head + `01}`, refused: "offset 61: expected ',' or '}', found '1'"},
		"10,000 levels": {
			text: head + strings.Repeat("[", 9999) + strings.Repeat("]", 9999) + `}`},
		"more levels than encoding/json": {
			text:    head + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}`,
			refused: "offset 10059: nested deeper than 10000 levels"},
		"more levels, never closed": {
			text:    head + strings.Repeat(`{"a":`, 200000),
			refused: "offset 50055: nested deeper than 10000 levels"},
		"a comma too many": {
			text: head + `[1,]}`, refused: "offset 63: expected a JSON value, found ']'"},
		"a comma too many in an object": {
			text: head + `{"a":1,}}`, refused: "offset 67: expected a member name, found '}'"},
		"a bracket of the other kind": {
			text: head + `[1}}`, refused: "offset 62: expected ',' or ']', found '}'"},
		"two objects": {
			text:    head + `1}{}`,
			refused: "offset 62: expected nothing after the object, found '{'"},
		"a name that is an object": {
			text:    `{"apiVersion":"v1","kind":"Pod","metadata":{"name":{}}}`,
			refused: "offset 51: metadata.name is not a string"},
		"an empty name": {
			text:    `{"apiVersion":"v1","kind":"Pod","metadata":{"name":""}}`,
			refused: "offset 0: object has no metadata.name"},
		"a name with an escape": {
			text: `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a\u0022\n"}}`},
		"a megabyte in a label": {
			text: `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"l":"` +
				strings.Repeat("x", 1<<20) + `"}}}`},
		"white space wherever it may stand": {
			text: " {\n\"apiVersion\" : \"v1\"\t,\r\"kind\": \"Pod\" , \"metadata\" :{ \"name\" : \"a\" } , \"x\" : [ 1 , { } ] } "},
	} {
		t.Run(what, func(t *testing.T) {
			for _, p := range []*Parser{{}, experiencedWithoutDrops(bigPod),
				experiencedWithoutDrops(head + `{"a":1,"b":[1,{"c":2}]}}`),
				experiencedWithoutDrops(c.text)} {
				o, err := p.Parse([]byte(c.text))
				switch {
				case c.refused != "":
					if err == nil || err.Error() != c.refused {
						t.Fatalf("\n got %v\nwant %s", err, c.refused)
					}
				case err != nil:
					t.Fatal(err)
				default:
					sameAsEncodingJSON(t, o, c.text)
					sameAsEncodingJSON(t, o.Stored(), c.text)
				}
			}
		})
	}
}

func sameAsEncodingJSON(t *testing.T, o *Object, text string) {
	t.Helper()
	decode := func(text string) any {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		return normal(v)
	}
	want := decode(text)
	if got := decode(o.JSON()); !reflect.DeepEqual(got, want) {
		t.Fatalf("\n got %.300v\nwant %.300v", got, want)
	}
	if got := normal(o.Value().Any()); !reflect.DeepEqual(got, want) {
		t.Fatalf("read by us\n got %.300v\nwant %.300v", got, want)
	}
	meta := want.(map[string]any)["metadata"].(map[string]any)
	if o.Name() != meta["name"] {
		t.Fatalf("name %q, want %q", o.Name(), meta["name"])
	}
	if labels, ok := meta["labels"].(map[string]any); ok {
		for k, v := range labels {
			if got, _ := o.Label(k); got != v {
				t.Fatalf("label %q is %.20q", k, got)
			}
		}
	}
}
