package object

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/informerd/informerd/internal/growth"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan/scantest"
)

// A field is dropped whatever the base has in its place: nothing, an empty object, null, a scalar.
func TestADropHoldsWhateverWasReadBefore(t *testing.T) {
	const object = `{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","namespace":"shop","uid":"u","resourceVersion":"1",` +
		`"labels":{"app":"web"}},"spec":{"replicas":3,"template":{"containers":[{"name":"web","image":"nginx:1.29"}]}},"status":%s}`
	values := []string{
		`{}`, `null`, `0`, `"x"`, `[]`, `{ }`, `{"a":{}}`, `{"a":null}`, `{"a":1}`, `{"a":{"b":1}}`,
		`{"a":{"b":{}}}`, `{"a":{"b":{"c":1}}}`,
		`{"z":1,"a":{"y":2,"b":{"c":1,"x":3}}}`, `{"a":{"b":{"c":{},"d":{}}},"e":{}}`,
		`{"a":[{"b":{"c":1}}]}`,
	}
	for _, drop := range []string{"status.a", "status.a.b", "status.a.b.c"} {
		path := MustCompilePath(drop)
		for _, before := range values {
			for _, after := range values {
				p := dropping(t, path)
				mustParse(t, p, fmt.Sprintf(object, before))
				o := mustParse(t, p, fmt.Sprintf(object, after))
				if v := path.Lookup(o); v.Exists() {
					t.Errorf("%s was dropped, the status was %s: there is %s", drop, before,
						o.JSON())
				}
				if want := mustParse(t, dropping(t, path),
					fmt.Sprintf(object, after)); o.JSON() != want.JSON() {
					t.Errorf("%s was dropped, the status was %s\n got %s\nwant %s", drop, before,
						o.JSON(), want.JSON())
				}
			}
		}
	}
}

func dropping(t testing.TB, paths ...Path) *Parser {
	p := &Parser{eager: true}
	if err := p.Drop(paths...); err != nil {
		t.Fatal(err)
	}
	return p
}

// A parser without a kind hides what a Secret has, whatever it has read before.
func TestASecretAmongOtherKindsIsHidden(t *testing.T) {
	const meta = `"apiVersion":"v1","metadata":{"name":"a","namespace":"shop","uid":"u","resourceVersion":"1","labels":{"app":"web"}%s}`
	const applied = `,"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"stringData\":{\"password\":\"hunter2\"}}"}`
	secret := `{"kind":"Secret",` + fmt.Sprintf(meta, applied) +
		`,"data":{"password":"aHVudGVyMg=="},"stringData":{"password":"hunter2"}}`
	for _, annotations := range []string{``, `,"annotations":{}`, `,"annotations":null`,
		`,"annotations":{"a":"b"}`, `,"annotations":[]`, `,"annotations":"x"`, applied} {
		for _, data := range []string{``, `,"data":{}`, `,"data":null`, `,"data":{"a":"b"}`,
			`,"data":{"password":"x"},"stringData":{}`} {
			for _, p := range []*Parser{{eager: true}, {
				APIVersion: "v1", Kind: "ConfigMap", eager: true}, {APIVersion: "v1",
				Kind: "Secret", eager: true}} {
				for _, kind := range []string{"ConfigMap", "Secret"} {
					mustParse(t, p, `{"kind":"`+kind+`",`+fmt.Sprintf(meta, annotations)+data+`}`)
					o := mustParse(t, p, secret)
					if strings.Contains(o.JSON(), "hunter2") ||
						strings.Contains(o.JSON(), "aHVudGVyMg") ||
						strings.Contains(o.Stored().JSON(), "hunter2") {
						t.Errorf("after a %s with %s%s: %s", kind, annotations, data, o.JSON())
					}
				}
			}
		}
	}
}

// An Object's text is UTF-8 even if it differs from its base within a rune.
func TestARuneOfTheBaseMayBeCutAnywhere(t *testing.T) {
	const object = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"1","labels":{"a":"b"}},` +
		`"data":{"k":"xxxxxxxxxxxxxxxxxxxx%syyyyyyyyyyyyyyyyyyyy","z%[1]s":"qqqqqqqqqqqqqqqqqqqqqqqq"}}`
	for _, before := range []string{"é", "€", "😀", "éé", "€é", "a", "é€x😀"} {
		var changed []string
		for i := range before {
			r := []rune(before[i:])[0]
			for n := range utf8.RuneLen(r) {
				at := i + n
				changed = append(changed, before[:at]+before[at+1:], before[:at+1]+before[at:],
					before[:at]+"\xff"+before[at+1:], before[:at]+"a"+before[at+1:],
					before[:at]+"a"+before[at:], before[:at], before[at:], before[at:]+before[:at])
			}
		}
		for _, text := range changed {
			p := &Parser{eager: true}
			mustParse(t, p, fmt.Sprintf(object, before))
			agree(t, p, []byte(fmt.Sprintf(object, text)))
			if o := mustParse(t, p, fmt.Sprintf(object, text)); !utf8.ValidString(o.JSON()) ||
				!utf8.ValidString(o.Stored().JSON()) {
				t.Errorf("%q in place of %q: %q", text, before, o.JSON())
			}
		}
	}
}

// Of duplicate names the last counts, in whatever spelling, and whichever of the two the base has.
func TestDuplicateNamesInAnySpelling(t *testing.T) {
	const object = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"n","uid":"u","resourceVersion":"1"%s},"spec":{"x":{"y":1%[1]s}},"more":{"list":[{"y":1%[1]s}]}}`
	member := func(name string, value int) string { return fmt.Sprintf(`,"%s":%d`, name, value) }
	for name, all := range scantest.Spellings {
		for _, first := range all {
			for _, second := range all {
				text := fmt.Sprintf(object, member(first, 2)+`,"between":0`+member(second, 3))
				for _, before := range []string{``, member(first, 2), member(second, 3),
					member(first, 9) + member(`between`, 0), member(second, 9) +
						member(`between`, 0)} {
					p := &Parser{eager: true}
					mustParse(t, p, fmt.Sprintf(object, before))
					o := mustParse(t, p, text)
					if hasDuplicates(o.JSON()) {
						t.Errorf("%q is a duplicate: %s", name, o.JSON())
					}
					sameAsEncodingJSON(t, o, text)
				}
			}
		}
	}
}

// Similar names, as Nodes and API servers have them, are not taken for duplicates: removing those
// costs thirty times as much.
func TestNamesThatResembleEachOtherAreNotTakenForEqual(t *testing.T) {
	const object = `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n","labels":{%s}}}`
	for _, names := range [][]string{
		{`feature.node.kubernetes.io/pci-0300_10de.present`,
			`feature.node.kubernetes.io/pci-0200_15b3.present`},
		{`if a \u003c b`, `if a \u003e b`, `if a \u0026 b`},
		{`kkkkkkkk-1-kkkkkkkk`, `kkkkkkkk-2-kkkkkkkk`},
		{`k:{\"type\":\"Ready\"}`, `k:{\"type\":\"Other\"}`},
	} {
		p := &Parser{}
		text := fmt.Sprintf(object, `"`+strings.Join(names, `":"x","`)+`":"x"`)
		mustParse(t, p, text)
		if p.reader.Duplicates || p.deduplications > 0 {
			t.Errorf("%s: a name seems to be a duplicate", text)
		}
	}
}

// Work is linear in the text for any input. Each of these texts once took seconds, or would have.
func TestNoTextTakesMuchLongerThanWithoutABase(t *testing.T) {
	object := func(spec string) string {
		return `{"apiVersion":"v1","kind":"K","metadata":{"name":"a","uid":"u","resourceVersion":"1","labels":{"a":"b"}},"spec":{"data":{` + spec + `}}}`
	}
	members := func(n int, each string) string {
		return strings.TrimSuffix(strings.Repeat(each, n), ",")
	}
	numbered := func(n int, each string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, each, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	const n = 10_000
	spaces, long := strings.Repeat(" ", 30*n), strings.Repeat("n", 30*n)
	for what, c := range map[string]struct{ before, after string }{
		"a name more in each of many members": {
			numbered(n, `"key%06d":{"a":"some text that is long enough to be alike"},`),
			numbered(n, `"key%06d":{"a":"some text that is long enough to be alike","b":1},`)},
		"many names before much white space": {
			`"p":1,` + spaces + `"zz":1`, `"p":1,` + spaces + numbered(n, `"n%d":1,`) + `,"zz":1`},
		"many names before a long one": {
			`"p":1,"` + long + `":1`, `"p":1,` + numbered(n, `"n%d":1,`) + `,"` + long + `":1`},
		"much white space after a name": {
			`"p":1,"q"` + spaces + `:1`, `"p":1,` + numbered(n, `"n%d":1,`) + `,"q":1`},
		"each member needs a look ahead": {
			numbered(n/10, `"key%06d":{"a":{"b":"some text of which there is enough","x":[`+
				members(60, `{"y":1},`)+`]}},`),
			numbered(n/10, `"key%06d":{"a":{"b":"some text of which there is enough",`+
				numbered(30, `"n%d":1,`)+`,"x":[`+members(60, `{"y":1},`)+`]}},`)},
		"everything is other": {numbered(n, `"a%d":1,`), numbered(n, `"b%d":{"c":"d"},`)},
		"in other order":      {numbered(n, `"a%d":1,`), numbered(n/2, `"a%[1]d2":1,"a%[1]d1":1,`)},
	} {
		for _, drop := range []string{"spec.data.x", "spec.data.key000007.x", "spec.none",
			"status.x"} {
			before, after := object(c.before), object(c.after)
			// Reading the base's text is part of the reference, as that is part of what is
			// measured.
			alone, took := time.Hour, time.Hour
			for try := 0; try < 3 || try < 9 && took > 10*alone; try++ {
				fresh, p := dropping(t, MustCompilePath(drop)), dropping(t, MustCompilePath(drop))
				fresh.Plain, p.eager = true, false
				mustParse(t, p, before)
				alone, took = min(alone, timeOf(func() {
					mustParse(t, fresh, before)
					mustParse(t, fresh, after)
				})), min(took, timeOf(func() { mustParse(t, p, after) }))
			}
			if took > 10*alone {
				t.Errorf("%s, without %s: %v with a base, %v without", what, drop, took, alone)
			}
		}
	}
}

// timeOf returns the processor time that f takes.
func timeOf(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := growth.ThreadTime()
	f()
	return growth.ThreadTime() - began
}
