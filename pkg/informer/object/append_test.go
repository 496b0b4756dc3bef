package object

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// appends compares AppendJSON, and appendJSON from any place, with the whole text.
func appends(t *testing.T, form string, o *Object, want string) {
	t.Helper()
	for _, room := range []int{0, 7, len(want) / 2, 2 * len(want)} {
		dst := append(make([]byte, 0, 6+room), "before"...)
		if got := o.AppendJSON(dst); string(got) != "before"+want || string(dst) != "before" {
			t.Fatalf("%s, with room for %d bytes\n got %s\nwant before%s", form, room, got, want)
		}
	}
	if o.base == nil || o.isDense {
		return
	}
	for from := 0; from <= len(want); from += 1 + len(want)/20 {
		if got := o.appendJSON(nil, from); string(got) != want[from:] {
			t.Fatalf("%s, from %d\n got %s\nwant %s", form, from, got, want[from:])
		}
	}
}

func TestAppendJSONAllocatesNothing(t *testing.T) {
	packed := packedPod(t)
	for form, o := range map[string]*Object{"packed": packed, "plain": packed.Plain(),
		"dense": densified(packed, nil)} {
		dst := make([]byte, 0, o.Size())
		if n := testing.AllocsPerRun(100, func() { o.AppendJSON(dst) }); n != 0 {
			t.Errorf("%s: %v allocations", form, n)
		}
	}
}

// Numbers of several bytes are those of long pieces, and of copies from far away. "Literals and
// copies, taken in turns until the text's length is reached, are the text" (internal/delta).
func TestAppendJSONOfLongPieces(t *testing.T) {
	var members []string
	for i := range 3000 {
		members = append(members, fmt.Sprintf(`"a%d":"value %d"`, i, i))
	}
	text := func(last string, members ...[]string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{` +
			strings.Join(slices.Concat(members...), ",") + `},"status":{"x":"` + last + `"}}`
	}
	p := Parser{eager: true}
	last := mustParse(t, &p, text("1", members))
	p.Last = func(Key) *Object { return last }
	o := mustParse(t, &p, text(strings.Repeat("y", 300), members[:1000], members[2000:]))
	if o.Stored() == o {
		t.Fatal("not packed")
	}
	appends(t, "stored", o.Stored(), o.JSON())
}

func BenchmarkAppendJSON(b *testing.B) {
	var p Parser
	mustParse(b, &p, benchmarkPod(1))
	o := mustParse(b, &p, benchmarkPod(2)).Stored()
	if o.base == nil {
		b.Fatal("the pod is not packed")
	}
	dst := make([]byte, 0, o.Size())
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(o.Size()))
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
	run("append", func() { dst = o.AppendJSON(dst[:0]) })
	run("pieces", func() {
		dst = dst[:0]
		for it := o.delta(); it.Remaining > 0; {
			dst = append(dst, it.Next()...)
		}
	})
	run("json", func() { dst = append(dst[:0], o.JSON()...) })
	plain := bytes.Clone(dst)
	run("copy", func() { dst = append(dst[:0], plain...) })
	if !slices.Equal(dst, plain) {
		b.Fatal("the text is another one")
	}
}
