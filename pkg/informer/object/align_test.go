package object

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
)

// agree reads text with a parser that has read others before and with one that has not, and
// compares the results: the same object, in each of its forms, or the same error.
func agree(t *testing.T, experienced *Parser, text []byte) {
	t.Helper()
	fresh := &Parser{APIVersion: experienced.APIVersion, Kind: experienced.Kind, Plain: true,
		drop: experienced.drop}
	want, wantErr := fresh.Parse(text)
	for _, parse := range []func([]byte) (*Object, error){
		experienced.Parse,
		func(text []byte) (*Object, error) {
			o, _, err := experienced.ParseItem(text)
			return o, err
		},
	} {
		if wantErr != nil && strings.Contains(wantErr.Error(), "nothing after the object") {
			continue // which ParseItem does not look at
		}
		got, err := parse(text)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%s\n got error %v\nwant error %v", text, err, wantErr)
		}
		if err != nil {
			continue
		}
		for form, o := range map[string]*Object{"as parsed": got, "stored": got.Stored(),
			"plain": got.Plain(), "plain again": got.Stored().Plain()} {
			same(t, form, o, want)
		}
	}
}

func same(t *testing.T, form string, o, want *Object) {
	t.Helper()
	if o.JSON() != want.JSON() || o.Size() != want.Size() {
		t.Fatalf("%s\n got %s\nwant %s", form, o.JSON(), want.JSON())
	}
	appends(t, form, o, want.JSON())
	identity := func(o *Object) []any {
		return []any{o.APIVersion(), o.Kind(), o.Key(), o.UID(), o.ResourceVersion(),
			o.DeletionTimestamp(), o.Generation(), o.labels()}
	}
	if got, want := identity(o), identity(want); !slices.Equal(got, want) {
		t.Fatalf("%s: header\n got %q\nwant %q", form, got, want)
	}
	for _, path := range []Path{MustCompilePath("spec"), MustCompilePath("status"),
		MustCompilePath("metadata.labels.app"), MustCompilePath("status.phase")} {
		if path.Lookup(o) != path.Lookup(want) {
			t.Fatalf("%s: %s is %s, want %s", form, path, path.Lookup(o).Raw(),
				path.Lookup(want).Raw())
		}
	}
}

func experienced(t *testing.T, text []byte) *Parser {
	p := &Parser{APIVersion: "v1", Kind: "Pod", eager: true}
	if err := p.Drop(MustCompilePath("spec.a"), MustCompilePath("spec.b.c")); err != nil {
		t.Fatal(err)
	}
	_, _ = p.Parse(text)
	return p
}

// FuzzLike lets a fuzzer choose two texts: having read the first never changes what the second is
// read as.
func FuzzLike(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(pod), []byte(s))
		f.Add([]byte(s), []byte(pod))
		f.Add([]byte(bigPod), []byte(strings.ReplaceAll(bigPod, `"reason"`, `"raison"`)))
	}
	f.Fuzz(func(t *testing.T, before, text []byte) {
		agree(t, experienced(t, before), text)
	})
}

const bigPod = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-abcde-1","generateName":"web-abcde-","namespace":"shop","uid":"0d6a-1",` +
	`"resourceVersion":"1001","creationTimestamp":"2026-01-02T03:04:05Z","labels":{"app":"web","pod-template-hash":"abcde"},"annotations":{"note":"a \"quoted\" word, and {brackets}"},` +
	`"managedFields":[{"manager":"kubelet","time":"2026-01-02T03:04:05Z","fieldsV1":{"f:status":{"k:{\"type\":\"Ready\"}":{".":{},"f:type":{}}}}}]},` +
	`"spec":{"volumes":[{"name":"tmp","emptyDir":{}}],"containers":[{"name":"app","image":"registry/app:1.2.3","ports":[{"containerPort":8080}],"env":[{"name":"A","value":"1"},{"name":"B","value":"22"}],"resources":{"limits":{"cpu":"500m"}}}],` +
	`"nodeName":"node-1","priority":0,"b":{"c":1,"d":[]},"a":[1,2]},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-02T03:04:05Z"},` +
	`{"type":"Initialized","status":"True","reason":"x"}],"containerStatuses":[{"name":"app","restartCount":0,"ready":true,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{}}],"podIPs":[]}}`

// TestEditedTextsAreReadAsByAFreshParser changes a text in small ways, most of which leave it
// valid, and keeps the parser that has read the texts before. What is read is right because "a
// value is skipped only because its bytes are equal to those of a value of the base that was
// checked as a whole" (internal/align).
func TestEditedTextsAreReadAsByAFreshParser(t *testing.T) {
	rounds := 20000
	if testing.Short() {
		rounds = 2000
	}
	r := rand.New(rand.NewPCG(1, 2))
	p := experienced(t, []byte(bigPod))
	text, valid, packed := bigPod, 0, 0
	for range rounds {
		if r.IntN(8) == 0 || text == "" {
			text = bigPod
		}
		text = edited(r, text)
		agree(t, p, []byte(text))
		if o, err := p.Parse([]byte(text)); err == nil {
			valid++
			if o.Stored() != o {
				packed++
			}
		}
		if r.IntN(500) == 0 {
			p = experienced(t, []byte(text))
		}
	}
	if valid < rounds/3 || packed < rounds/4 {
		t.Errorf("%d of %d texts were objects, %d were packed: too few to tell", valid, rounds,
			packed)
	}
}

// edited returns the text with one change: of a token, of a member or item, of white space, or of a
// single byte.
func edited(r *rand.Rand, text string) string {
	var tokens []int
	for i := 0; i < len(text); {
		tokens = append(tokens, i)
		if strings.IndexByte(`{}[],: `, text[i]) >= 0 {
			i++
		} else {
			i = jsontext.ValueEnd(text, i)
		}
	}
	at := tokens[r.IntN(len(tokens))]
	end := at + 1
	if strings.IndexByte(`{}[],: `, text[at]) < 0 {
		end = jsontext.ValueEnd(text, at)
	}
	scalars := []string{`"x"`, `""`, `"a\"b"`, `"\u0061"`, `12`, `-1.5e3`, `0`, `true`, `null`,
		`{}`, `[]`, `{"n":[1,{"m":2}]}`, `"2026-01-02T03:04:06Z"`}
	scalar := scalars[r.IntN(len(scalars))]
	switch c := text[at]; r.IntN(10) {
	case 0:
		return text[:at] + " \n" + text[at:]
	case 1: // one byte
		return text[:at] + string(text[r.IntN(len(text))]) + text[at+1:]
	case 2: // cut off
		if r.IntN(10) == 0 {
			return text[:at]
		}
		return text
	case 3, 4: // a member or an item more
		switch {
		case c == '{':
			return text[:at+1] + fmt.Sprintf(`"new%d":%s,`, r.IntN(5), scalar) + text[at+1:]
		case c == '[':
			return text[:at+1] + scalar + "," + text[at+1:]
		case c == '}' && !strings.HasSuffix(text[:at], "{"):
			return text[:at] + fmt.Sprintf(`,"new%d":%s`, r.IntN(5), scalar) + text[at:]
		case c == ']' && !strings.HasSuffix(text[:at], "["):
			return text[:at] + "," + scalar + text[at:]
		}
		return text
	case 5, 6: // a member or an item less
		if c == ',' {
			next := jsontext.SkipSpace(text, at+1)
			end = jsontext.ValueEnd(text, next)
			if end < len(text) && text[jsontext.SkipSpace(text, end)] == ':' {
				end = jsontext.ValueEnd(text, jsontext.NextToken(text, end))
			}
			return text[:at] + text[end:]
		}
		return text
	case 7: // a whole container replaced
		if c == '{' || c == '[' {
			return text[:at] + scalar + text[jsontext.ValueEnd(text, at):]
		}
		return text
	default:
		if c == '"' && end < len(text) && text[jsontext.SkipSpace(text, end)] == ':' {
			return text[:at] + []string{`"reason"`, `"message"`, `"na\u006de"`, `"x"`}[r.IntN(4)] +
				text[end:]
		}
		if strings.IndexByte(`{}[],: `, c) < 0 {
			return text[:at] + scalar + text[end:]
		}
		return text
	}
}

// The last of two members of one name counts, as in encoding/json, wherever they are and however
// they are written.
func TestOfDuplicateNamesTheLastCounts(t *testing.T) {
	for _, text := range []string{
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"x":1,"y":{"z":1,"z":[2]},"x":{"w":3}},"spec":{"v":1}}`,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"app":"1","\u0061pp":"2"}},"status":{"phase":1,"phas\u0065":2}}`,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"list":[{"a":{"b":0,"b":null}}]}`,
		strings.Replace(bigPod, `"waiting":{`, `"waiting":1,"waiting":{`, 1),
		strings.Replace(bigPod, `"podIPs":[]`, `"podIPs":[],"phase":"Failed"`, 1),
		strings.Replace(bigPod, `"env":[{"name":"A","value":"1"}`,
			`"env":[{"name":"A","value":"1","name":"C"}`, 1),
	} {
		for _, p := range []*Parser{{Kind: "Pod", APIVersion: "v1", eager: true},
			experiencedWithoutDrops(bigPod)} {
			o := mustParse(t, p, text)
			var got, want any
			if err := errors.Join(json.Unmarshal([]byte(o.JSON()), &got),
				json.Unmarshal([]byte(text), &want)); err != nil {
				t.Fatal(err)
			}
			delete(want.(map[string]any)["metadata"].(map[string]any), "managedFields")
			gotText, _ := json.Marshal(got)
			wantText, _ := json.Marshal(want)
			if !bytes.Equal(gotText, wantText) || hasDuplicates(o.JSON()) {
				t.Errorf("%s\nbecame %s\nwant   %s", text, o.JSON(), wantText)
			}
		}
	}
}

func experiencedWithoutDrops(text string) *Parser {
	p := &Parser{APIVersion: "v1", Kind: "Pod", eager: true}
	_, _ = p.Parse([]byte(text))
	return p
}

// Redundant escapes are kept, unless they hide a duplicate name.
func TestOddEscapesAloneChangeNothing(t *testing.T) {
	const text = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"data":{"\u003cb\u003e":1,"a\/b":2,"k:{\"x\"}":3}}`
	if o := mustParse(t, &Parser{}, text); o.JSON() != text {
		t.Errorf("became %s", o.JSON())
	}
}

func TestAPackedObjectTakesAFractionOfThePlainOne(t *testing.T) {
	p := experiencedWithoutDrops(bigPod)
	next := strings.NewReplacer(`"web-abcde-1"`, `"web-abcde-2"`, `"0d6a-1"`, `"99aa-2"`, `"1001"`,
		`"1002"`).Replace(bigPod)
	o := mustParse(t, p, next)
	if o.Stored() == o || o.Stored().Memory()*3 > o.Memory() {
		t.Errorf("packed %v, %d bytes, plain %d", o.Stored() != o, o.Stored().Memory(), o.Memory())
	}
	if again := o.Stored().Plain(); again.Stored() != o.Stored() || again == o {
		t.Error("an object that was unpacked should know its packed form")
	}
	if o.Plain() != o {
		t.Error("a plain object should be its own plain form")
	}
}

func TestNothingOfASecretIsRemembered(t *testing.T) {
	const text = `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a","labels":{"app":"x"}},"data":{"password":"aHVudGVyMg=="}}`
	for _, p := range []*Parser{{}, {Kind: "Secret", APIVersion: "v1"}, {
		Kind: "ConfigMap", APIVersion: "v1"}} {
		for range 3 {
			if o := mustParse(t, p, text); strings.Contains(o.JSON(), "aHVu") || o.Stored() != o {
				t.Errorf("became %s, packed: %v", o.JSON(), o.Stored() != o)
			}
		}
		if len(p.reader.Bases.ByOrigin) > 0 || p.reader.Bases.Last != nil {
			t.Errorf("a parser of %q remembers a Secret", p.Kind)
		}
	}
	kept := &Parser{KeepSecretData: true}
	for range 2 {
		if o := mustParse(t, kept, text); !strings.Contains(o.JSON(), "aHVu") {
			t.Errorf("became %s", o.JSON())
		}
	}
}

// Looking ahead in the base is given up for a text that makes it as expensive as possible: for each
// of its unknown members, a huge one of the base would have to be searched.
func TestLookingAheadIsBounded(t *testing.T) {
	object := func(members string) string {
		return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"p":"` +
			strings.Repeat("x", 200_000) + `",` + members +
			`"big":{"deep":[` + strings.Repeat(`{"a":1},`, 25_000) + `1]},"last":1}}`
	}
	var names strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&names, `"n%d":1,`, i)
	}
	p := &Parser{}
	mustParse(t, p, object(""))
	text := object(names.String())
	o := mustParse(t, p, text)
	if o.JSON() != text {
		t.Error("the object became another one")
	}
	if limit := len(text)/4 + 3*len(text)/2; p.reader.Cost > limit {
		t.Errorf("reading against the base has cost as much as %d bytes, more than %d",
			p.reader.Cost, limit)
	}
}

// If the base has none of very many members, each is searched for nearby and not among all.
func TestManyUnknownMembersAreReadInTime(t *testing.T) {
	object := func(prefix string) string {
		var b strings.Builder
		b.WriteString(`{"apiVersion":"v1","kind":"Thing","metadata":{"name":"a"},"spec":{`)
		for i := range 100_000 {
			fmt.Fprintf(&b, `"%s%d":1,`, prefix, i)
		}
		b.WriteString(`"z":1}}`)
		return b.String()
	}
	began := time.Now()
	mustParse(t, &Parser{}, object("b")) // what it takes without a base
	alone := time.Since(began)
	p := &Parser{}
	mustParse(t, p, object("a"))
	began = time.Now()
	mustParse(t, p, object("b"))
	if took := time.Since(began); took > 20*alone+time.Second {
		t.Errorf("took %v with a base, %v without", took, alone)
	}
}
