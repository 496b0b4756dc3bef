package object

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/informerd/informerd/pkg/informer/object/internal/align"
	"github.com/informerd/informerd/pkg/informer/object/internal/reader"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

// TestHistories: an Object does not depend on what was read before. A parser reads generated texts,
// each a change of the one before. What it makes of each is compared with what a parser makes of it
// that has read nothing, and with encoding/json, which shares no code with either. HISTORIES=100000
// runs for hours, HISTORY=17 runs only the one with this number.
//
// Most of the texts are followed along the last state (internal/align): "up to each such place both
// texts have the same tokens, except for the contents of values, so the grammar is in the same
// state and one text is as valid as the other."
func TestHistories(t *testing.T) {
	first, last := 0, 80
	if testing.Short() {
		last = 30
	}
	for name, to := range map[string]*int{"HISTORIES": &last, "HISTORY": &first} {
		if text := os.Getenv(name); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			if *to = n; name == "HISTORY" {
				last = n + 1
			}
		}
	}
	texts, objects, packed := 0, 0, 0
	for n := first; n < last && !t.Failed(); n++ {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			h := readHistory(t, binary.LittleEndian.AppendUint32(nil, uint32(n)))
			texts, objects, packed = texts+h.texts, objects+h.objects, packed+h.packed
		})
	}
	t.Logf("%d texts, %d objects, %d of them packed", texts, objects, packed)
	if last-first >= 30 && (objects < texts/3 || packed < objects/4) {
		t.Error("too few to tell")
	}
}

// FuzzHistory lets a fuzzer choose the texts.
func FuzzHistory(f *testing.F) {
	for seed := range 5 {
		f.Add([]byte{byte(seed)})
	}
	f.Fuzz(func(t *testing.T, data []byte) { readHistory(t, data) })
}

func readHistory(t *testing.T, data []byte) *history {
	h := newHistory(t, generator{newChoices(data)})
	for range 3 {
		text := h.g.whole(h.config.Kind != "")
		h.read(text)
		for range 20 {
			// What is no object is most often not gone on from, or hardly anything would be one.
			if next := h.g.changed(text, h.drops); (h.read(next) || h.g.one(12)) &&
				len(next) < 30_000 {
				text = next
			}
		}
	}
	h.end()
	return h
}

// history is a parser and what it has read.
type history struct {
	t                      *testing.T
	g                      generator
	config                 Parser // what a parser that has read nothing begins as
	drops                  []Path
	parser                 *Parser
	store                  known
	all                    map[*Object]string
	scratch                Scratch
	dictionary             *align.Base
	encoder                Encoder
	decoder                Decoder
	texts, objects, packed int
}

func newHistory(t *testing.T, g generator) *history {
	h := &history{t: t, g: g, store: known{}, all: map[*Object]string{}}
	h.config = Parser{KeepManagedFields: g.one(4), KeepSecretData: g.one(4)}
	if !g.one(3) {
		h.config.APIVersion, h.config.Kind = "v1", pick(g.choices, "Pod", "ConfigMap", "Secret")
	}
	for _, drop := range []string{"spec.a", "spec.b.c", "spec.b.x-long-name-1.a", "status.a",
		"status", "metadata.annotations", "metadata.annotations.a", "data.password", "x.a.b",
		"metadata.uidx"} {
		if g.one(4) {
			h.drops = append(h.drops, MustCompilePath(drop))
		}
	}
	h.parser = h.fresh()
	h.parser.Plain, h.parser.eager = false, !g.one(4)
	if !g.one(3) {
		h.parser.Last = func(key Key) *Object { return h.store[key] }
	}
	return h
}

func (h *history) fresh() *Parser {
	p := h.config
	p.Plain = true
	if err := p.Drop(h.drops...); err != nil {
		h.t.Fatal(err)
	}
	return &p
}

// read reads a text in one of the three ways there are, and reports whether it is an object.
func (h *history) read(text string) bool {
	t := h.t
	parse := func(p *Parser) (o *Object, end int, err error) {
		o, err = p.Parse([]byte(text))
		return o, len(text), err
	}
	switch h.g.intN(3) {
	case 0:
		parse = func(p *Parser) (*Object, int, error) { return p.ParseItem([]byte(text)) }
	case 1:
		frame := []byte(pick(h.g.choices, `{"type":"ADDED","object":`, `{"object":`,
			`{"type":"MODIFIED" , "object" : `) + text + `,"type":"MODIFIED"}`)
		parse = func(p *Parser) (*Object, int, error) {
			w, end, err := p.ParseWatchEvent(frame)
			return w.Object, end, err
		}
	}
	want, wantEnd, wantErr := parse(h.fresh())
	got, end, err := parse(h.parser)
	if errors.Is(err, scan.ErrTruncated) && wantErr != nil &&
		!errors.Is(wantErr, scan.ErrTruncated) {
		// The text is cut off, and wrong before that: reading on returns the error.
		return false
	}
	if errors.Is(err, scan.ErrTruncated) {
		end = wantEnd // there is no such place
	}
	if fmt.Sprint(err) != fmt.Sprint(wantErr) || end != wantEnd || (got == nil) != (want == nil) {
		t.Fatalf("%q\n got %v, end %d\nwant %v, end %d", text, err, end, wantErr, wantEnd)
	}
	if h.texts++; err != nil || got == nil {
		return false
	}
	h.objects++
	dense := h.densified(got)
	for form, o := range map[string]*Object{
		"as parsed": got, "stored": got.Stored(), "plain": got.Plain(),
		"plain again": got.Stored().Plain(), "dense": dense, "plain of dense": dense.Plain(),
	} {
		same(t, form+" of "+text, o, want)
	}
	for form, o := range map[string]*Object{"stored": got.Stored(), "dense": dense} {
		same(t, form+", encoded, of "+text, h.decoded(o), want)
	}
	h.hasWhatItShould(got, text)
	if b := got.Stored().base; b != nil {
		h.packed++
		if len(b.Text) > reader.MaxBaseRatio*got.Size() {
			t.Fatalf("an object of %d bytes refers to one of %d bytes", got.Size(), len(b.Text))
		}
	}
	for _, o := range []*Object{got.Stored(), dense} {
		h.scratch.Set(o)
		for _, path := range historyPaths {
			if h.scratch.Lookup(path).Raw() != path.Lookup(want).Raw() {
				t.Fatalf("scratch: %s of %s", path, text)
			}
		}
	}
	h.store[got.Key()] = got.Stored()
	if h.g.one(3) { // it was not changed for a while
		h.store[got.Key()] = dense
	}
	h.all[h.store[got.Key()]] = strings.Clone(want.JSON())
	return true
}

var historyPaths = []Path{
	MustCompilePath("status"), MustCompilePath("spec"), MustCompilePath("metadata.labels.a"),
	MustCompilePath("spec.a.b"), MustCompilePath("status.x-long-name-1"),
}

// decoded returns an object as it is decoded.
func (h *history) decoded(o *Object) *Object {
	if h.objects%20 == 0 {
		h.encoder = Encoder{} // one whose output follows
	}
	h.decoder.packed.eager, h.decoder.own.eager = h.parser.eager, h.parser.eager
	return decoded(h.t, &h.encoder, &h.decoder, o)
}

// densified returns the dense form of an object, worth it or not, against another's text or
// nothing.
func (h *history) densified(o *Object) *Object {
	if h.dictionary == nil && h.g.one(3) {
		h.dictionary = &align.Base{Text: o.JSON()}
	}
	if h.g.one(20) {
		h.dictionary = nil
	}
	o = pick(h.g.choices, o, o.Stored(), o.Plain())
	return densified(o, h.dictionary)
}

// hasWhatItShould compares an object with what encoding/json reads in the text.
func (h *history) hasWhatItShould(o *Object, text string) {
	t := h.t
	if !utf8.ValidString(o.JSON()) || !json.Valid([]byte(o.JSON())) || hasDuplicateNames(o.JSON()) {
		t.Fatalf("%q\nbecame %q", text, o.JSON())
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var given any
	if err := d.Decode(&given); err != nil {
		t.Fatalf("%s is an object for us, and for encoding/json: %v", text, err)
	}
	want := given.(map[string]any)
	if want["apiVersion"] == nil && want["kind"] == nil {
		want["apiVersion"], want["kind"] = h.config.APIVersion, h.config.Kind
	}
	if !h.config.KeepManagedFields {
		without(want, "metadata", "managedFields")
	}
	for _, path := range h.drops {
		var names []string
		for _, st := range path.steps {
			names = append(names, st.key)
		}
		without(want, names...)
	}
	d = json.NewDecoder(strings.NewReader(o.JSON()))
	d.UseNumber()
	var has map[string]any
	if err := d.Decode(&has); err != nil {
		t.Fatal(err)
	}
	if want["kind"] == "Secret" && want["apiVersion"] == "v1" && !h.config.KeepSecretData {
		if strings.Contains(o.JSON(), hidden) &&
			!strings.Contains(fmt.Sprint(covered(want)), hidden) {
			t.Fatalf("a Secret's data is in the text: %s", o.JSON())
		}
		covered(want)
		covered(has)
	}
	if !reflect.DeepEqual(has, want) {
		t.Fatalf("%s\n   became %s\nwhich has %v\n     want %v", text, o.JSON(), has, want)
	}
}

// hasDuplicateNames is hasDuplicates by means of encoding/json. Its time does not depend on how
// deep objects are nested.
func hasDuplicateNames(text string) bool {
	d := json.NewDecoder(strings.NewReader(text))
	var open []map[string]bool // nil for an array
	isName := false
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		inner := len(open) - 1
		switch token {
		case json.Delim('{'):
			open, isName = append(open, map[string]bool{}), true
			continue
		case json.Delim('['):
			open, isName = append(open, nil), false
			continue
		case json.Delim('}'), json.Delim(']'):
			open = open[:inner]
			isName = len(open) > 0 && open[inner-1] != nil
			continue
		}
		if inner < 0 || open[inner] == nil {
			continue
		}
		if name, _ := token.(string); isName {
			if open[inner][name] {
				return true
			}
			open[inner][name] = true
		}
		isName = !isName
	}
}

func without(v any, names ...string) {
	object, ok := v.(map[string]any)
	if ok && len(names) > 1 {
		without(object[names[0]], names[1:]...)
	} else if ok {
		delete(object, names[0])
	}
}

// covered puts "x" in the place of all that a Secret hides.
func covered(secret map[string]any) map[string]any {
	for _, name := range []string{"data", "stringData"} {
		if values, ok := secret[name].(map[string]any); ok {
			for name := range values {
				values[name] = "x"
			}
		} else if secret[name] != nil {
			secret[name] = "x"
		}
	}
	annotations, _ := secret["metadata"].(map[string]any)["annotations"].(map[string]any)
	for name, value := range annotations {
		if value != nil && !reader.Harmless[name] {
			annotations[name] = "x"
		}
	}
	return secret
}

// end looks at all objects again: reading others has not changed them.
func (h *history) end() {
	for o, text := range h.all {
		if o.JSON() != text || !bytes.Equal([]byte(o.Plain().JSON()), []byte(text)) {
			h.t.Fatalf("%s\nwas %s", o.JSON(), text)
		}
	}
}
