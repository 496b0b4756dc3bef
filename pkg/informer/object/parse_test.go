package object

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

func mustParse(t testing.TB, p *Parser, text string) *Object {
	t.Helper()
	o, err := p.Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	return o
}

const pod = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-1","namespace":"shop","uid":"u1","resourceVersion":"7",` +
	`"generation":3,"deletionTimestamp":"2026-01-02T03:04:05Z","labels":{"app":"web","tier":"f\u0072ont"},` +
	`"managedFields":[{"manager":"kubectl","fieldsV1":{"f:spec":{}}}]},"spec":{"nodeName":"n1","containers":[{"image":"a:1"},{"image":"b:2"}]},` +
	`"status":{"phase":"Running","n":-1.5e3,"big":9007199254740993,"t":true,"nil":null}}`

func TestHeaderIsScanned(t *testing.T) {
	o := mustParse(t, &Parser{}, pod)
	got := []any{o.APIVersion(), o.Kind(), o.Namespace(), o.Name(), o.UID(), o.ResourceVersion(),
		o.Generation(), o.DeletionTimestamp(), o.Key()}
	want := []any{"v1", "Pod", "shop", "web-1", "u1", "7", int64(3), "2026-01-02T03:04:05Z",
		Key{"shop", "web-1"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("header\n got %v\nwant %v", got, want)
	}
	if got, want := o.Labels(), map[string]string{"app": "web",
		"tier": "front"}; !reflect.DeepEqual(got, want) {
		t.Errorf("labels %v", got)
	}
	if v, ok := o.Label("tier"); v != "front" || !ok {
		t.Errorf("label tier = %q, %v", v, ok)
	}
	if _, ok := o.Label("none"); ok {
		t.Error("label none exists")
	}
}

func TestManagedFieldsAreDropped(t *testing.T) {
	if o := mustParse(t, &Parser{}, pod); strings.Contains(o.JSON(), "managedFields") ||
		!json.Valid([]byte(o.JSON())) {
		t.Error(o.JSON())
	}
	if o := mustParse(t, &Parser{KeepManagedFields: true}, pod); o.JSON() != pod {
		t.Error("text changed although nothing is dropped:", o.JSON())
	}
}

func TestObjectDoesNotShareTheBuffer(t *testing.T) {
	buf := []byte(pod)
	o, err := (&Parser{}).Parse(buf)
	if err != nil {
		t.Fatal(err)
	}
	before := strings.Clone(o.JSON())
	for i := range buf {
		buf[i] = 'x'
	}
	if o.JSON() != before || o.Name() != "web-1" || o.Kind() != "Pod" {
		t.Error("the object changed with the buffer")
	}
}

func TestListItemsGetTypeMeta(t *testing.T) {
	p := &Parser{APIVersion: "apps/v1", Kind: "Deployment"}
	o := mustParse(t, p, ` { "metadata" : { "name":"d","managedFields":[] , "uid":"u" } } `)
	if got, want := o.JSON(), `{"apiVersion":"apps/v1","kind":"Deployment", "metadata" : { "name":"d" , "uid":"u" } }`; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if o.APIVersion() != "apps/v1" || o.Kind() != "Deployment" || o.Name() != "d" ||
		o.UID() != "u" {
		t.Errorf("header %+v", o.header)
	}
	if o, err := p.Parse([]byte(`{"kind":null,"metadata":{"name":"d"}}`)); err == nil {
		t.Error("a kind was added to one that is null:", o.JSON())
	}
	if o := mustParse(t, p, `{"kind":"X","apiVersion":"v2","metadata":{"name":"d"}}`); o.Kind() != "X" || o.APIVersion() != "v2" {
		t.Error("own apiVersion and kind were replaced")
	}
}

func TestDrop(t *testing.T) {
	for _, c := range []struct{ in, drop, want string }{
		{`"a":1,"b":2,"c":3`, "a", `"b":2,"c":3`},
		{`"a":1,"b":2,"c":3`, "b", `"a":1,"c":3`},
		{`"a":1,"b":2,"c":3`, "c", `"a":1,"b":2`},
		{`"a":1,"b":2,"c":3`, "a b", `"c":3`},
		{`"a":1,"b":2,"c":3`, "b c", `"a":1`},
		{`"a":1,"b":2,"c":3`, "a c", `"b":2`},
		{`"a":1,"b":2,"c":3`, "a b c", ``},
		{`"a" : 1 , "b":{"x":[1,{"y":2}],"z":"}"}`, "b.x", `"a" : 1 , "b":{"z":"}"}`},
		{`"b":{"x":1}`, "b.x", `"b":{}`},
		{`"b":[{"x":1}]`, "b.x", `"b":[{"x":1}]`},
		{`"\u0061":1,"b":2`, "a", `"b":2`},
		{`"b":{"x":1,"y":2},"c":1`, "b.x b", `"c":1`},
	} {
		var p Parser
		for path := range strings.FieldsSeq(c.drop) {
			if err := p.Drop(MustCompilePath("spec." + path)); err != nil {
				t.Fatal(err)
			}
		}
		head := `{"apiVersion":"v1","kind":"K","metadata":{"name":"n"},"spec":{`
		o := mustParse(t, &p, head+c.in+`},"status":{"a":1}}`)
		if want := head + c.want + `},"status":{"a":1}}`; o.JSON() != want {
			t.Errorf("drop %s from %s\n got %s\nwant %s", c.drop, c.in, o.JSON(), want)
		}
	}
	var p Parser
	for path, want := range map[string]string{
		"metadata.name":      `"metadata.name" cannot be dropped: every object needs it`,
		"spec.containers[0]": `"spec.containers[0]" cannot be dropped: only named fields can, not items of arrays`,
	} {
		if err := p.Drop(MustCompilePath(path)); err == nil || err.Error() != want {
			t.Errorf("Drop(%s): %v", path, err)
		}
	}
}

func TestSecretDataIsDigested(t *testing.T) {
	const secret = `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","annotations":{"meta.helm.sh/release-name":"1","kapp.k14s.io/original":"{\"data\":{\"p\":\"aHVudGVy\"}}",` +
		`"kubectl.kubernetes.io/last-applied-configuration":"{\"data\":{\"p\":\"aHVudGVy\"}}"},"uid":"u9"},` +
		`"data":{"p":"aHVudGVy","q":"aHVudGVy","r":""},"stringData":{"s":"hunter"},"type":"Opaque"}`
	o := mustParse(t, &Parser{}, secret)
	if strings.Contains(o.JSON(), "hunter") || strings.Contains(o.JSON(), "aHVudGVy") {
		t.Error("secret data is in the text:", o.JSON())
	}
	p, q, r := o.Value().Get("data").Get("p"), o.Value().Get("data").Get("q"),
		o.Value().Get("data").Get("r")
	if p.Text() != q.Text() || p.Text() == r.Text() ||
		!strings.HasPrefix(p.Text(), "hmac-sha256:") {
		t.Errorf("digests %s %s %s", p.Text(), q.Text(), r.Text())
	}
	if a := o.Value().Get("metadata").Get("annotations"); a.Get("meta.helm.sh/release-name").Text() != "1" ||
		!strings.HasPrefix(a.Get("kapp.k14s.io/original").Text(), "hmac-sha256:") {
		t.Errorf("annotations %s", a.Raw())
	}
	if o.UID() != "u9" || o.Value().Get("type").Text() != "Opaque" {
		t.Error("fields after the digests moved")
	}
	// Items of a list come without a kind; the parser knows it.
	item := strings.Replace(secret, `"apiVersion":"v1","kind":"Secret",`, "", 1)
	if o := mustParse(t, &Parser{APIVersion: "v1", Kind: "Secret"},
		item); strings.Contains(o.JSON(), "aHVudGVy") {
		t.Error("secret data of a list item is in the text")
	}
	if o := mustParse(t, &Parser{KeepSecretData: true}, secret); o.JSON() != secret {
		t.Error("text changed although the data is kept")
	}
	// Without the key, nobody can find a value by trying; parsers with the same one agree.
	digest := func(key string) string {
		return mustParse(t, &Parser{DigestKey: []byte(key)}, secret).Value().Get("data").Get(
			"p").Text()
	}
	if first, second := digest("one"), digest("one"); first != second {
		t.Errorf("two digests with one key: %s and %s", first, second)
	}
	if digest("one") == digest("two") || digest("") != p.Text() || digest("one") == p.Text() {
		t.Errorf("digests with keys: %s %s %s", digest("one"), digest("two"), digest(""))
	}
	mac := hmac.New(sha256.New, []byte("one"))
	mac.Write([]byte("\n" + `"aHVudGVy"`))
	if want := fmt.Sprintf("hmac-sha256:%x", mac.Sum(nil)[:6]); digest("one") != want {
		t.Errorf("digest %s, want %s", digest("one"), want)
	}
	// Who may make Secrets in a namespace cannot try what those of another one are.
	of := map[string]bool{}
	for _, namespace := range []string{"a", "b", "ab"} {
		text := strings.Replace(secret, `"name":"s"`, `"name":"s","namespace":"`+namespace+`"`, 1)
		of[mustParse(t, &Parser{}, text).Value().Get("data").Get("p").Text()] = true
	}
	if len(of) != 3 {
		t.Errorf("digests of one value in three namespaces: %v", of)
	}
	// A kind that only looks like one keeps its data.
	other := strings.Replace(secret, `"v1"`, `"example.com/v1"`, 1)
	if o := mustParse(t, &Parser{}, other); o.JSON() != other {
		t.Error("another group's Secret was changed")
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{``, "offset 0: unexpected end of JSON text"},
		{`null`, "offset 0: expected an object, found 'n'"},
		{`{}`, "offset 0: object has no metadata.name"},
		{`{"metadata":{"name":""}}`, "offset 0: object has no metadata.name"},
		{`{"metadata":{"name":5}}`, "offset 20: metadata.name is not a string"},
		{`{"metadata":{"name":"a","name":"b"}}`, "offset 24: metadata.name occurs twice"},
		{`{"metadata":{"name":"a"},"metadata":{"uid":"b"}}`, "offset 25: metadata occurs twice"},
		{`{"metadata":[]}`, "offset 12: expected an object, found '['"},
		{`{"metadata":{"name":"a\nb"}}`, `offset 0: object "a\nb" has no apiVersion or no kind`},
		{`{"kind":"K","metadata":{"name":"a"}}`,
			`offset 0: object "a" has no apiVersion or no kind`},
		{`{"kind":"K","apiVersion":"v1","metadata":{"name":"a"}} x`,
			"offset 55: expected nothing after the object, found 'x'"},
		{`{"metadata":{"name":"a"}`, "offset 24: unexpected end of JSON text"},
		{`{"metadata":{"name":"a",}}`, "offset 24: expected a member name, found '}'"},
		{`{"a":01}`, "offset 6: expected ',' or '}', found '1'"},
		{`{"a":"` + "\x01" + `"}`,
			`offset 6: expected no control character in a string, found '\x01'`},
		{`{"a":"\x"}`, "offset 7: expected an escape character, found 'x'"},
		{`{"a":tru}`, "offset 8: expected true, found '}'"},
	} {
		_, err := (&Parser{}).Parse([]byte(c.in))
		if err == nil || err.Error() != c.want {
			t.Errorf("Parse(%s)\n got %v\nwant %s", c.in, err, c.want)
		}
	}
	deep := `{"metadata":{"name":"a"},"x":` + strings.Repeat("[", 20000)
	if _, err := (&Parser{}).Parse([]byte(deep)); err == nil ||
		!strings.Contains(err.Error(), "nested deeper than 10000 levels") {
		t.Error("deep nesting:", err)
	}
}

func TestEveryTruncationIsErrTruncated(t *testing.T) {
	for i := range len(pod) {
		if _, _, err := (&Parser{}).ParseItem([]byte(pod[:i])); !errors.Is(err, scan.ErrTruncated) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
}

func TestInvalidUTF8IsRepairedAsEncodingJSONDoes(t *testing.T) {
	o := mustParse(t, &Parser{},
		"{\"apiVersion\":\"v1\",\"kind\":\"K\",\"metadata\":{\"name\":\"a\xff\xfeb\"}}")
	if o.Name() != "a\uFFFD\uFFFDb" || !json.Valid([]byte(o.JSON())) {
		t.Errorf("name %q", o.Name())
	}
}

func TestParseWatchEvent(t *testing.T) {
	const obj = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","resourceVersion":"5"}}`
	p := &Parser{}
	w, end, err := p.ParseWatchEvent([]byte(`{"type":"ADDED","object":` + obj + `} {"type"`))
	if err != nil || w.Type != "ADDED" || w.Object.Name() != "a" || end != len(obj)+26 {
		t.Errorf("%+v, %d, %v", w, end, err)
	}
	w, _, err = p.ParseWatchEvent(
		[]byte(` { "object" : ` + obj + ` , "more":[1], "type" : "MODIFIED" }`))
	if err != nil || w.Type != "MODIFIED" || w.Object.ResourceVersion() != "5" {
		t.Errorf("%+v, %v", w, err)
	}
	const mark = `{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"9"}}`
	w, _, err = p.ParseWatchEvent([]byte(`{"type":"BOOKMARK","object":` + mark + `}`))
	if err != nil || w.Object != nil || w.Text != mark {
		t.Errorf("%+v, %v", w, err)
	}
	for in, want := range map[string]string{
		`{"type":"ADDED"}`:                               "watch frame has no object",
		`{"type":"ADDED","object":null}`:                 "offset 25: expected an object, found 'n'",
		`{"type":"ADDED","object":{"metadata":{}}}`:      "offset 25: object has no metadata.name",
		`{"type":"ADDED","object":{"metadata":{"name":1`: "offset 46: unexpected end of JSON text",
		`{}`: "watch frame has no object",
		`[]`: "offset 0: expected an object, found '['",
	} {
		_, end, err := p.ParseWatchEvent([]byte(in))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", in, err)
		}
		var refused *ObjectError
		if whole := strings.HasPrefix(in, "{") &&
			strings.HasSuffix(in, "}"); errors.As(err, &refused) != whole || whole &&
			end != len(in) {
			t.Errorf("%s: can a reader continue after it? %T, end %d", in, err, end)
		}
	}
}
