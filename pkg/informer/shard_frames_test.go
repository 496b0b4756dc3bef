package informer

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/informerd/informerd/pkg/informer/internal/wire"
	"github.com/informerd/informerd/pkg/informer/object"
)

// jsonWriter writes JSON in any spelling.
type jsonWriter struct {
	*rand.Rand
	space []string // to choose from between tokens
}

func (w *jsonWriter) one(of ...string) string { return of[w.IntN(len(of))] }

func (w *jsonWriter) often(n int) bool { return w.IntN(n) > 0 }

func (w *jsonWriter) gap() string { return w.one(w.space...) }

// text spells a string, now and then with an escape that it need not have in it.
func (w *jsonWriter) text(s string) string {
	quoted, _ := json.Marshal(s)
	if s == "" || s[0] >= utf8.RuneSelf || w.often(4) {
		return string(quoted)
	}
	rest, _ := json.Marshal(s[1:])
	return fmt.Sprintf(`"\u%04x%s`, s[0], rest[1:])
}

// object writes members in any order. spell writes their names.
func (w *jsonWriter) object(members map[string]string, spell func(string) string) string {
	names := slices.Sorted(maps.Keys(members))
	w.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for i, name := range names {
		names[i] = w.gap() + spell(name) + w.gap() + ":" + w.gap() + members[name] + w.gap()
	}
	return "{" + strings.Join(names, ",") + "}"
}

// decoy is a value that looks like what is searched for.
func (w *jsonWriter) decoy() string {
	switch w.IntN(7) {
	case 0:
		return w.object(map[string]string{"metadata": w.object(map[string]string{
			"uid": w.text("decoy"), "namespace": w.text("decoy"), "name": `"decoy"`,
			"resourceVersion": `"999999"`}, w.text)}, w.text)
	case 1:
		return w.text(`"metadata":{"uid":"decoy","namespace":"decoy"}}` + "\n" + `{"type":"ADDED"`)
	case 2:
		return `[{},[],"}",{"uid":"x","namespace":null}` + w.gap() + `]`
	case 3:
		return `"` + strings.Repeat(`x\"y\\`, []int{1, 10, 30_000}[w.IntN(3)]) + `"`
	case 4:
		return "-1.5e3"
	case 5:
		return "null"
	default:
		return w.object(map[string]string{"uid": `"decoy"`, "name": `"decoy"`}, w.text)
	}
}

// thing writes an object, some of whose fields may be missing.
func (w *jsonWriter) thing() string {
	metadata := map[string]string{
		"labels": w.object(map[string]string{"uid": `"decoy"`, "namespace": `"decoy"`}, w.text),
		"name":   w.text(w.one("a", "b", "team-1", "ü")),
	}
	for name, of := range map[string][]string{
		"namespace": {"team-1", "team-2", "team-3", "shop"}, "uid": {"u1", "u2", "u3", "u4", "ü"},
		"resourceVersion": {"1", "20", "300"},
	} {
		if w.often(6) {
			metadata[name] = w.text(w.one(of...))
		} else if w.often(2) {
			metadata[name] = "null"
		}
	}
	if !w.often(10) {
		delete(metadata, "name")
	}
	if w.often(3) {
		metadata["annotations"] = w.object(map[string]string{"a": w.text(`{"uid":"decoy"}`)}, w.text)
		metadata["ownerReferences"] = "[" + w.decoy() + "]"
	}
	return w.object(map[string]string{"kind": `"Pod"`, "apiVersion": `"v1"`, "spec": w.decoy(),
		"status": w.decoy(), "metadata": w.object(metadata, w.text)}, w.text)
}

// pieces is a reader of a text in pieces of any length.
type pieces struct {
	text    string
	lengths []int
	n       int
}

func (r *pieces) Read(p []byte) (int, error) {
	if r.text == "" {
		return 0, io.EOF
	}
	n := copy(p, r.text[:min(r.lengths[r.n%len(r.lengths)], len(r.text))])
	r.text, r.n = r.text[n:], r.n+1
	return n, nil
}

func (*pieces) Close() error { return nil }

// decodedThing is what encoding/json says of an object.
type decodedThing struct {
	Metadata struct{ Namespace, Name, UID, ResourceVersion string }
}

// fate is what has to become of an object.
func (d decodedThing) fate(s Shard) string {
	m := d.Metadata
	known := m.UID != "" && s.By == ByObject || m.Namespace+m.Name != "" && s.By == ByNamespace
	switch {
	case known && partOf(s.By, s.Count, m.Namespace, m.Name, m.UID) != s.Index:
		return "foreign"
	case m.Name == "":
		return "skipped"
	default:
		return strings.Join([]string{"own", m.Namespace, m.Name, m.UID, m.ResourceVersion}, " ")
	}
}

func fateOf(o *object.Object) string {
	if o == nil {
		return "foreign"
	}
	return strings.Join([]string{"own", o.Namespace(), o.Name(), o.UID(), o.ResourceVersion()}, " ")
}

// checkForeignFrames: of a watch and of a list, whatever they are written like and come in, a shard
// has what encoding/json and Kubernetes' hash say.
func checkForeignFrames(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0))
	// No line of a frame but the last one ends on a brace.
	w := &jsonWriter{r, [][]string{{""}, {"", " ", "\t"}, {"", " \n ", "\r\n"}}[r.IntN(3)]}
	s := Shard{By: []ShardKey{ByNamespace, ByObject}[w.IntN(2)], Count: 1 + w.IntN(4)}
	s.Index = w.IntN(s.Count)
	end := w.one("\n", "\n", "") // of all frames
	var items, want, wantItems []string
	var stream strings.Builder
	for range 1 + w.IntN(6) {
		item := w.thing()
		var d decodedThing
		if err := json.Unmarshal([]byte(item), &d); err != nil {
			t.Fatal(err)
		}
		fate, typ := d.fate(s), w.one("ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR")
		items, wantItems = append(items, item), append(wantItems, fate)
		switch {
		case typ == "BOOKMARK" || typ == "ERROR":
			fate = item
		case fate == "foreign":
			fate += " " + d.Metadata.ResourceVersion
		}
		if fate != "skipped" {
			fate = typ + " " + fate
		}
		want = append(want, fate)
		members := map[string]string{"type": w.text(typ), "object": item}
		if !w.often(5) {
			members["more"] = w.decoy()
		}
		stream.WriteString(w.object(members, strconv.Quote) + end)
	}
	lengths := make([]int, 1+w.IntN(20))
	for i := range lengths {
		lengths[i] = []int{1, 2, 3, 50, 400, 1 << 10, 1 << 17}[w.IntN(7)]
	}
	parser := func() *object.Parser {
		return &object.Parser{Kind: "Pod", APIVersion: "v1", Own: s.Has, OwnByUID: s.By == ByObject}
	}

	var got []string
	skip := func(error) { got = append(got, "skipped") }
	watch := wire.NewWatch(&pieces{text: stream.String(), lengths: lengths}, parser(), nil)
	for {
		frame, err := watch.Next(skip)
		if err == io.EOF {
			break
		}
		switch {
		case err != nil:
			t.Fatalf("%v after %q of\n%s", err, got, stream.String())
		case frame.Text != "":
			got = append(got, frame.Type+" "+frame.Text)
		case frame.Foreign:
			got = append(got, frame.Type+" foreign "+frame.Version)
		default:
			got = append(got, frame.Type+" "+fateOf(frame.Object))
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("shard %s, seed %d, has\n%q, want\n%q, of\n%s", s, seed, got, want, stream.String())
	}

	got = nil
	list := w.object(map[string]string{"kind": `"PodList"`, "metadata": `{"resourceVersion":"5"}`,
		"items": "[" + strings.Join(items, ","+w.gap()) + "]"}, w.text)
	if _, err := wire.ReadList(&pieces{text: list, lengths: lengths}, parser(),
		func(o *object.Object) { got = append(got, fateOf(o)) }, skip); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, wantItems) {
		t.Fatalf("shard %s, seed %d, has\n%q, want\n%q, of\n%s", s, seed, got, wantItems, list)
	}
}

func TestForeignFrames(t *testing.T) {
	for seed := range uint64(1500) {
		checkForeignFrames(t, seed)
	}
}

func FuzzForeignFrames(f *testing.F) { f.Fuzz(checkForeignFrames) }

// Of fields that occur twice the first ones count, in all shards, and the parser reports the object.
func TestFirstOccurrencesDecide(t *testing.T) {
	for _, twice := range []string{
		`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","uid":"first-uid","uid":"2nd-uid","resourceVersion":"5"}}}`,
		`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","uid":"first-uid","resourceVersion":"5"},"metadata":{"uid":"2nd-uid"}}}`,
		`{"object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","uid":"first-uid","\u0075id":"2nd-uid"}},"type":"ADDED"}`,
	} {
		for i := range 16 {
			s := Shard{ByObject, i, 16}
			p := &object.Parser{Kind: "Pod", Own: s.Has, OwnByUID: true}
			w, _, err := p.ParseWatchEvent([]byte(twice))
			if own := s.Has("", "a", "first-uid"); w.Foreign == own || (err != nil) != own {
				t.Errorf("%s: %+v, %v\n%s", s, w, err, twice)
			}
		}
	}
}

// What is malformed in a way that can be seen by the head goes to the parser, whatever the shard is.
func TestMalformedHeadsAreReported(t *testing.T) {
	none := func(string, string, string) bool { return false }
	for _, object0 := range []string{`[]`, `{"metadata":[]}`, `{"metadata":{"uid":x}}`,
		`{"metadata":{"name" "a"}}`, `{"metadata":{"name":"a",}}`} {
		for _, byUID := range []bool{false, true} {
			p := &object.Parser{Kind: "Pod", Own: none, OwnByUID: byUID}
			w, _, err := p.ParseWatchEvent([]byte(`{"type":"ADDED","object":` + object0 + "}\n"))
			if err == nil || w.Foreign {
				t.Errorf("%s: %+v", object0, w)
			}
		}
	}
}
