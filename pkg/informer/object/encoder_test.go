package object

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/informer/object/internal/align"
)

// decoded returns an object as it is decoded, and overwrites the memory that it was decoded from.
func decoded(t testing.TB, e *Encoder, d *Decoder, o *Object) *Object {
	t.Helper()
	b := e.Append([]byte("before"), o)
	if !bytes.HasPrefix(b, []byte("before")) {
		t.Fatalf("%q", b[:6])
	}
	got, rest, err := d.Next(append(b[6:], "after"...))
	if err != nil {
		t.Fatalf("%v: %s", err, o.JSON())
	}
	if string(rest) != "after" {
		t.Fatalf("%q is left of %s", rest, o.JSON())
	}
	for i := range b {
		b[i] = 'x'
	}
	return got
}

// form says which form an object is stored in.
func form(o *Object) string {
	switch o = o.Stored(); {
	case o.isDense && o.base != nil:
		return "dense, with a dictionary"
	case o.isDense:
		return "dense"
	case o.base != nil:
		return "packed"
	case o.ownBase != nil:
		return "base"
	}
	return "plain"
}

// everyForm returns objects in each of the forms.
func everyForm(t testing.TB) (all []*Object) {
	t.Helper()
	var p Parser
	for n := range 3 {
		o := mustParse(t, &p, benchmarkPod(n))
		all = append(all, o.Stored(), o.Plain())
	}
	dictionary := &align.Base{Text: settings(1000, 9000)}
	for n := range 3 {
		o := mustParse(t, &Parser{Plain: true}, settings(n, 4000))
		all = append(all, densified(o, nil), densified(o, dictionary), o)
	}
	return append(all, mustParse(t, &p, pod))
}

// "Objects are read with the JSON and the header that they have, and in their stored form."
func TestEncodedForms(t *testing.T) {
	var e Encoder
	var d Decoder
	var seen []string
	for range 2 {
		for _, o := range everyForm(t) {
			got := decoded(t, &e, &d, o)
			same(t, form(o), got, o)
			if form(got) != form(o) {
				t.Errorf("%s became %s: %s", form(o), form(got), o.Key())
			}
			seen = append(seen, form(o))
		}
		e = Encoder{} // the output of another one follows
	}
	for _, want := range []string{"plain", "base", "packed", "dense",
		"dense, with a dictionary"} {
		if !strings.Contains(fmt.Sprint(seen), want) {
			t.Errorf("none is %s", want)
		}
	}
	if len(d.known) > 6 {
		t.Errorf("%d shared texts, the same ones from both encoders", len(d.known))
	}
}

// A text that objects share is written once, and is in memory once.
func TestSharedTextsAreWrittenOnce(t *testing.T) {
	var p Parser
	var e Encoder
	var d Decoder
	var b []byte
	bases := map[*align.Base]bool{}
	for n := range 100 {
		b = e.Append(b[:0], mustParse(t, &p, benchmarkPod(n)))
		if n > 0 && len(b) > 1000 {
			t.Fatalf("pod %d: %d bytes", n, len(b))
		}
		o, _, err := d.Next(b)
		if err != nil {
			t.Fatal(err)
		}
		if base := o.base; base != nil {
			bases[base] = true
		} else {
			bases[o.ownBase] = true
		}
	}
	if len(bases) != 1 {
		t.Errorf("%d bases", len(bases))
	}
}

// The values of Secrets stay what they are: digests, or what a parser keeps on request.
func TestSecretsAreNotDigestedAgain(t *testing.T) {
	const secret = `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"1"},"data":{"password":"aHVudGVyMg=="}}`
	for _, p := range []*Parser{{}, {KeepSecretData: true}, {Kind: "Secret", APIVersion: "v1"}} {
		o := mustParse(t, p, secret)
		same(t, "decoded", decoded(t, &Encoder{}, &Decoder{}, o), o)
	}
}

// What a parser makes of the next state does not depend on where the last one came from.
func TestTheNextStateOfADecodedObject(t *testing.T) {
	var e Encoder
	var d Decoder
	for n, last := range everyForm(t) {
		last := decoded(t, &e, &d, last)
		p := Parser{Last: func(Key) *Object { return last }}
		next := strings.Replace(last.JSON(), `"resourceVersion":"`, `"resourceVersion":"1`, 1)
		o := mustParse(t, &p, next)
		same(t, fmt.Sprint("next state of ", n), o.Stored(), mustParse(t, &Parser{Plain: true},
			next))
		if f := form(last); (f == "packed" || f == "base") && form(o) != "packed" {
			t.Errorf("after %s: %s", f, form(o))
		}
	}
}

// "An Encoder keeps no object from being freed."
func TestAnEncoderKeepsNothing(t *testing.T) {
	var e Encoder
	for n := range 10 * minEncoderSweep {
		_ = e.Append(nil, mustParse(t, &Parser{}, benchmarkPod(n)))
		if n%500 == 0 {
			runtime.GC()
		}
	}
	if len(e.numbers) > 4*minEncoderSweep {
		t.Errorf("%d texts are remembered", len(e.numbers))
	}
}

// What is not what an Encoder wrote is an error that says so.
func TestDecodingErrors(t *testing.T) {
	var e Encoder
	whole := e.Append(nil, mustParse(t, &Parser{}, benchmarkPod(1)))
	for n := range whole {
		if _, _, err := new(Decoder).Next(whole[:n]); !errors.Is(err, errCutOff) &&
			!errors.Is(err, errShared) {
			t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
	for text, want := range map[string]error{
		"\x00":                             errRecord,
		"\x07":                             errRecord,
		"\x03\x00":                         errShared,
		"\x01\x01\x01x":                    errShared,
		"\x05\x01\x00\x00":                 errShared,
		"\x04\x00\x00\x00\x00":             errShared,
		"\x05\x00\xff\xff\xff\x7f\x00":     errTooBig,
		"\x04\x00\xff\xff\xff\x7f\x00\x00": errTooBig,
		"\x02\x04 {} ":                     nil,
	} {
		_, _, err := new(Decoder).Next([]byte(text))
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

// FuzzDecoder: any input is an error or objects that keep the promises of this package.
func FuzzDecoder(f *testing.F) {
	var e Encoder
	var all []byte
	for _, o := range everyForm(f) {
		all = e.Append(all, o)
		f.Add(new(Encoder).Append(nil, o))
	}
	f.Add(all)
	small := &Parser{eager: true}
	e, all = Encoder{}, nil
	for n := range 3 {
		o := mustParse(f, small, strings.Replace(pod, `"name":"`, fmt.Sprintf(`"name":"%d`, n), 1))
		all = e.Append(all, o)
		all = e.Append(all, densified(o, &align.Base{Text: pod}))
	}
	f.Add(all)
	f.Fuzz(func(t *testing.T, b []byte) { decodeAnything(t, b) })
}

// decodeAnything decodes any input, as far as it can be decoded, and returns how many objects that
// were. It compares them with what a parser makes of their texts, and parses their next states.
func decodeAnything(t *testing.T, b []byte) (objects int) {
	t.Helper()
	var d Decoder
	d.packed.eager, d.own.eager = true, true
	for ; len(b) > 0; objects++ {
		o, rest, err := d.Next(b)
		if err != nil {
			return objects
		}
		if len(rest) >= len(b) {
			t.Fatal("nothing was read")
		}
		b = rest
		config := Parser{KeepManagedFields: true, KeepSecretData: true}
		strict, next := config, config
		strict.Plain = true
		next.eager, next.Last = true, func(Key) *Object { return o }
		want := mustParse(t, &strict, o.JSON())
		same(t, "decoded", o, want)
		same(t, "next state", mustParse(t, &next, o.JSON()).Stored(), want)
	}
	return objects
}

// "Any input is safe": bits are flipped, and bytes changed, removed and inserted.
func TestDecodingDamagedInput(t *testing.T) {
	var inputs [][]byte
	var e Encoder
	var all []byte
	for _, o := range everyForm(t) {
		all = e.Append(all, o)
		inputs = append(inputs, new(Encoder).Append(nil, o))
	}
	inputs = append(inputs, all)
	r := rand.New(rand.NewPCG(1, 1))
	rounds, objects := 20_000, 0
	if testing.Short() {
		rounds = 2000
	}
	for range rounds {
		b := slices.Clone(inputs[r.IntN(len(inputs))])
		for range 1 + r.IntN(4) {
			switch at := r.IntN(len(b)); r.IntN(4) {
			case 0:
				b[at] ^= 1 << r.IntN(8)
			case 1:
				b[at] = byte(r.Uint32())
			case 2:
				b = slices.Delete(b, at, min(len(b)-1, at+r.IntN(10)))
			case 3:
				b = slices.Insert(b, at, byte(r.Uint32()), byte(r.Uint32()))
			}
		}
		objects += decodeAnything(t, b)
	}
	if t.Logf("%d inputs, %d objects", rounds, objects); objects < rounds/4 {
		t.Error("too few objects")
	}
}

// BenchmarkEncoder encodes updates of pods whose base was written before.
func BenchmarkEncoder(b *testing.B) {
	for _, o := range everyForm(b)[1:] {
		b.Run(fmt.Sprintf("%s of %d bytes", form(o), o.Size()), func(b *testing.B) {
			var e Encoder
			buf := e.Append(nil, o)
			b.ReportAllocs()
			for b.Loop() {
				buf = e.Append(buf[:0], o)
			}
			b.ReportMetric(float64(len(buf)), "B/object")
		})
	}
}
