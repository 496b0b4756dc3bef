package object

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/object/internal/scan/scantest"
)

// maxStrictRatio is how many times as long as a strict parser, which remembers nothing, a parser
// may take for any object.
const maxStrictRatio = 1.5

// hostile are generators of objects that take a parser that remembers as much work as possible, by
// what they aim at.
var hostile = map[string]func(r *rand.Rand) []string{
	"look-alikes: all names as before, and all values other": func(r *rand.Rand) []string {
		return sequence(40, func(n int) string {
			return spec("web", n, repeated(60, `"name{i}":"{x}",`, r))
		})
	},
	"look-alikes that differ in each second value": func(r *rand.Rand) []string {
		return sequence(40, func(n int) string {
			return spec("web", n, repeated(60, `"name{i}":"{x}","same{i}":"as ever",`, r))
		})
	},
	"look-alikes with a change where each long value ends": func(r *rand.Rand) []string {
		return sequence(40, func(n int) string {
			return spec("web", n,
				repeated(40, `"name{i}":{"text":"`+strings.Repeat("x", 80)+`","end":{x}},`, r))
		})
	},
	"alternating texts of one origin": func(r *rand.Rand) []string {
		forms := [2]string{`"name{i}":"{x}",`, `"other{i}":[{x},"{x}"],`}
		return sequence(40, func(n int) string {
			return spec("web", n, repeated(80, forms[n%2], r))
		})
	},
	"an origin for each": func(r *rand.Rand) []string {
		return sequence(40, func(n int) string {
			return spec(fmt.Sprintf("%x", r.Uint64()), n, repeated(80, `"{x}":"{x}",`, r))
		})
	},
	"one object that is always other": func(r *rand.Rand) []string {
		return sequence(40, func(n int) string {
			return spec("web", 1, repeated(80, `"{x}":"{x}",`, r))
		})
	},
	"huge neighbours": func(r *rand.Rand) []string {
		return sequence(20, func(n int) string {
			return spec("web", n, repeated([2]int{40, 1000}[n%2], `"name{i}":{"a":"{x}"},`, r))
		})
	},
	"names that collide": func(r *rand.Rand) []string {
		return sequence(20, func(n int) string {
			return spec("web", n,
				repeated(400, `"`+scantest.Collider(0)+`{i}":1,"`+scantest.Collider(1)+`{i}":{x},`,
					r))
		})
	},
	"thirty names that are long and collide": func(r *rand.Rand) []string {
		return sequence(20, func(n int) string {
			return spec("web", n,
				`"a":{`+strings.TrimSuffix(
					repeated(15, `"`+scantest.Collider(0)+strings.Repeat("n", 200)+
						`{i}":1,"`+scantest.Collider(1)+strings.Repeat("n", 200)+`{i}":{x},`, r),
					",")+`},`)
		})
	},
	"deep nesting, with a name more on each level": func(r *rand.Rand) []string {
		return sequence(20, func(n int) string {
			var b strings.Builder
			for level := range 80 {
				fmt.Fprintf(&b, `"level%d":{"text":"%s",`, level,
					strings.Repeat("x", 100+level%2*100))
			}
			fmt.Fprintf(&b, `"n":%d`, n)
			for level := range 80 {
				fmt.Fprintf(&b, `,"more%d":{"x":%d}}`, level*n, r.IntN(1000))
			}
			return spec("web", n, b.String()+",")
		})
	},
	"a name more before each member": func(r *rand.Rand) []string {
		return sequence(40, func(n int) string {
			return spec("web", n,
				repeated(60, `"more{x}":1,"name{i}":"some text that is as it was",`, r))
		})
	},
	"a member less each time, of those that are long": func(r *rand.Rand) []string {
		return sequence(30, func(n int) string {
			return spec("web", n, repeated(60, `"name{x}":{"text":"`+strings.Repeat("x", 150)+`"},`,
				rand.New(rand.NewPCG(uint64(n/4), 1))))
		})
	},
	"an item more at the front": func(r *rand.Rand) []string {
		return sequence(40, func(n int) string {
			var b strings.Builder
			for i := range 60 {
				fmt.Fprintf(&b, `{"name":"item %d","text":"%x"},`, 1000-n+i, (1000-n+i)*7919)
			}
			return spec("web", n, `"items":[`+strings.TrimSuffix(b.String(), ",")+`],`)
		})
	},
	"white space": func(r *rand.Rand) []string {
		return sequence(30, func(n int) string {
			return spec("web", n, repeated(100, `"name{i}" :`+strings.Repeat(" ", 20+n%2)+`"{x}",`,
				r))
		})
	},
	"last states with other values, and then another name": func(r *rand.Rand) []string {
		return sequence(40, func(n int) string {
			return spec("web", n%2,
				repeated(30, `"name{i}":"{x}","same{i}":"`+strings.Repeat("as ever", 10)+`",`, r)+
					fmt.Sprintf(`"last%d":1,`, n))
		})
	},
	"last states with other values, and a name each second time": func(r *rand.Rand) []string {
		return sequence(40, func(n int) string {
			return spec("web", n%2,
				repeated(30, `"name{i}":"{x}","same{i}":"`+strings.Repeat("as ever", 10)+`",`, r)+
					fmt.Sprintf(`"last%d":1,`, n/4))
		})
	},
	"last states with the same spec and another status": func(r *rand.Rand) []string {
		return sequence(40, func(n int) string {
			s := spec("web", n%2, `"short":1,`)
			return strings.TrimSuffix(s, "}") + `,"status":{` +
				repeated(60, `"name{i}":{x},"same{i}":"`+strings.Repeat("as ever", 6)+`",`, r) +
				fmt.Sprintf(`"last%d":1}}`, n)
		})
	},
	"last states with containers that were empty": func(r *rand.Rand) []string {
		forms := [2]string{`"name{i}":{},"same{i}":"` + strings.Repeat("as ever", 10) + `",`,
			`"name{i}":{"a":[{x}]},"same{i}":"` + strings.Repeat("as ever", 10) + `",`}
		return sequence(40, func(n int) string {
			return spec("web", n%2, repeated(60, forms[n/2%2], r))
		})
	},
	"last states with escapes": func(r *rand.Rand) []string {
		return sequence(40, func(n int) string {
			return spec("web", n%2,
				repeated(60, `"name{i}":"{x}","same{i}":"`+strings.Repeat(`as \"ever\"`, 6)+`",`,
					r))
		})
	},
	"managedFields that are nearly known": func(r *rand.Rand) []string {
		return sequence(30, func(n int) string {
			var b strings.Builder
			for range 12 {
				fmt.Fprintf(&b, `{"manager":"m","fieldsV1":{%s"f:x":{}}},`,
					strings.Repeat(`"f:name":{".":{}},`, 15)+fmt.Sprintf(`"f:%08x":{},`,
						r.Uint32()))
			}
			return strings.Replace(spec("web", n, repeated(30, `"name{i}":"as ever",`, r)),
				`"labels"`, `"managedFields":[`+strings.TrimSuffix(b.String(), ",")+`],"labels"`, 1)
		})
	},
}

func sequence(n int, object func(n int) string) (all []string) {
	for i := range n {
		all = append(all, object(i))
	}
	return all
}

func spec(origin string, n int, members string) string {
	return fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"n%d","generateName":"%s-","namespace":"n","uid":"%d","resourceVersion":"%[1]d","labels":{"a":"b"}},"spec":{%[4]s"z":1}}`, n, origin, n*7, members)
}

// repeated repeats members, with their number for {i} and digits at random for {x}.
func repeated(n int, each string, r *rand.Rand) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.NewReplacer("{i}", fmt.Sprintf("%08d", i), "{x}",
			fmt.Sprint(1e15+r.Int64N(8e15))).Replace(each))
	}
	return b.String()
}

// Remembering costs at most half of what reading costs, for any input, apart from writing what is
// stored.
func TestNoInputCostsMuchMoreThanStrictReading(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector is on")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for what, of := range hostile {
		t.Run(what, func(t *testing.T) {
			var texts [][]byte
			for _, text := range of(rand.New(rand.NewPCG(1, 1))) {
				texts = append(texts, []byte(text))
			}
			each := func(p *Parser, store known, do func(o *Object)) {
				for _, text := range texts {
					o, _, err := p.ParseItem(text)
					if err != nil {
						t.Fatal(err)
					}
					store[o.Key()] = o
					do(o)
				}
			}
			read := func(p *Parser, store known) time.Duration {
				runtime.GC()
				return timeOf(func() { each(p, store, func(*Object) {}) })
			}
			pack := func() (took time.Duration) {
				const times = 16 // more than it takes to look at the clock
				store := known{}
				p := store.parser()
				each(p, store, func(o *Object) {
					if o.base != nil {
						took += timeOf(func() {
							for range times {
								p.builder.pack()
								p.builder.packed(p.typeMeta)
							}
						}) / times
					}
				})
				return took
			}
			strict, took, packing := time.Hour, time.Hour, time.Hour
			for round := 0; round < 6 || round < 500 && took-packing > strict*5/4; round++ {
				store := known{}
				strict, took, packing = min(strict, read(&Parser{Plain: true}, known{})),
					min(took, read(store.parser(), store)), min(packing, pack())
			}
			ratio := float64(took-packing) / float64(strict)
			// bench/cmd/informerbench reads this line.
			if t.Logf("%.2f %s", ratio, what); ratio > maxStrictRatio {
				t.Errorf("%v, of which %v is writing what is stored: without that, %.2f times as long as strict reading", took, packing, ratio)
			}
		})
	}
}
