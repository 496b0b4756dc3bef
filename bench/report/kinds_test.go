package report

import (
	"math"
	"strings"
	"testing"
)

// collections returns one that reaches all figures, one that misses most, one of new objects, and a
// small one.
func collections() []Collection {
	return []Collection{
		{Name: "replicas", Size: 10240, Memory: 12, Listed: 0.1, By: map[string]Figures{
			"drop": {ListCPU: 5, EventCPU: 10, LoadedRSS: 40e6, ColdRSS: 40e6},
			"dynamic": {ListCPU: 600, EventCPU: 1000, LoadedRSS: 340e6, ColdRSS: 340e6,
				Heap: 60_000, ListAllocs: 2000, EventAllocs: 1000},
			"core": {ListCPU: 10, EventCPU: 20, LoadedRSS: 60e6, ColdRSS: 50e6, CoolCPU: 30,
				Heap: 900, ListAllocs: 5, EventAllocs: 4},
		}},
		{Name: "texts", Size: 8192, Memory: 5, Listed: 0.5, By: map[string]Figures{
			"drop":    {ListCPU: 5, EventCPU: 10, LoadedRSS: 40e6, ColdRSS: 40e6},
			"dynamic": {ListCPU: 600, EventCPU: 600, LoadedRSS: 140e6, ColdRSS: 140e6},
			"core":    {ListCPU: 50, EventCPU: 90, LoadedRSS: 140e6, ColdRSS: 140e6},
		}},
		{Name: "new ones", Size: 10240, Memory: 12, New: true, By: map[string]Figures{
			"drop":    {ListCPU: 5, EventCPU: 10, LoadedRSS: 40e6, ColdRSS: 40e6},
			"dynamic": {ListCPU: 600, EventCPU: 800, LoadedRSS: 140e6, ColdRSS: 140e6},
			"core":    {ListCPU: 30, EventCPU: 50, LoadedRSS: 39e6, ColdRSS: 39e6},
		}},
		{Name: "small ones", Size: 900, Memory: 5, By: map[string]Figures{"drop": {
			EventCPU: 2}, "core": {EventCPU: 5}}},
	}
}

const overallTable = `
|                                                                 |     median |                    best |             worst | as required |
|-----------------------------------------------------------------|-----------:|------------------------:|------------------:|------------:|
| watch event, CPU, versus reading and dropping                   |      2.50x |         2.00x: replicas |      9.00x: texts |      2 of 3 |
| watch event, CPU, versus client-go dynamic                      | 16.0x less |    50.0x less: replicas | 6.67x less: texts |      2 of 3 |
| first list, CPU, versus client-go dynamic                       | 20.0x less |    60.0x less: replicas | 12.0x less: texts |      2 of 3 |
| memory over an idle reader, versus client-go dynamic            | 30.0x less | lost in noise: new ones | 1.00x less: texts |      2 of 3 |
| memory over an idle reader, 5 s after the list, versus the JSON |      0.30x |         0.10x: replicas |      0.50x: texts |      1 of 2 |
`

func TestOverallIsTheMedianNotTheBest(t *testing.T) {
	if got, want := Overall(collections()).String(), strings.TrimPrefix(overallTable,
		"\n"); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

const kindFigures = `
|            | bytes |            event / reading |                       dynamic / event |                        dynamic / list |                     dynamic / memory |                 memory / JSON |
|------------|------:|---------------------------:|--------------------------------------:|--------------------------------------:|-------------------------------------:|------------------------------:|
| replicas   | 10240 |              2.00x (<= 3x) |              50.0x less (>= 30x less) |              60.0x less (>= 15x less) |             30.0x less (>= 12x less) |              0.10x (<= 0.33x) |
| texts      |  8192 | 9.00x (<= 3x), falls short | 6.67x less (>= 30x less), falls short | 12.0x less (>= 15x less), falls short | 1.00x less (>= 5x less), falls short | 0.50x (<= 0.33x), falls short |
| new ones   | 10240 |                      5.00x |              16.0x less (>= 15x less) |              20.0x less (>= 15x less) |          lost in noise (>= 12x less) |                             - |
| small ones |   900 |              2.50x (<= 3x) |                                     - |                                     - |                                    - |                             - |
`

func TestEachKindSaysWhatFallsShort(t *testing.T) {
	if got, want := KindFigures(collections()).String(), strings.TrimPrefix(kindFigures,
		"\n"); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

const kindContenders = `
|          |         | list CPU/object | event CPU | heap/object | RSS over drop | once cold | cooling CPU/object | allocs/object | allocs/event |
|----------|--------:|----------------:|----------:|------------:|--------------:|----------:|-------------------:|--------------:|-------------:|
| replicas |    drop |         5.00 us |   10.0 us |           - |             - |         - |                  - |             - |            - |
|          | dynamic |          600 us |   1000 us |     60.0 KB |        300 MB |    300 MB |                  - |          2000 |         1000 |
|          |    core |         10.0 us |   20.0 us |       900 B |       20.0 MB |   10.0 MB |            30.0 us |          5.00 |         4.00 |
`

func TestMemoryIsOverOneThatKeepsNothing(t *testing.T) {
	if got, want := KindContenders(collections()[:1]).String(), strings.TrimPrefix(kindContenders,
		"\n"); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

func TestKindVerdicts(t *testing.T) {
	verdicts := map[string]Verdict{}
	for _, v := range KindVerdicts(collections()) {
		verdicts[v.What] = v
	}
	for what, excess := range map[string]float64{
		"replicas: watch event, CPU, versus reading and dropping":                2.0 / 3,
		"replicas: watch event, CPU, versus client-go dynamic":                   30.0 / 50,
		"texts: watch event, CPU, versus reading and dropping":                   3,
		"texts: first list, CPU, versus client-go dynamic":                       15.0 / 12,
		"texts: memory over an idle reader, versus client-go dynamic":            5,
		"texts: memory over an idle reader, 5 s after the list, versus the JSON": 1.5,
		// like a first list
		"new ones: watch event, CPU, versus client-go dynamic":      15.0 / 16,
		"small ones: watch event, CPU, versus reading and dropping": 2.5 / 3,
	} {
		if v, judged := verdicts[what]; !judged || math.Abs(v.Excess-excess) > 1e-9 ||
			v.Passed() != (excess <= 1) {
			t.Errorf("%s: %+v, want %v of the limit", what, v, excess)
		}
	}
	for _, what := range []string{
		"new ones: watch event, CPU, versus reading and dropping", // no object is known
		"small ones: watch event, CPU, versus client-go dynamic",  // was not measured
		"small ones: first list, CPU, versus client-go dynamic",   // was not measured
	} {
		if v, judged := verdicts[what]; judged {
			t.Errorf("%+v", v)
		}
	}
	if v := verdicts["new ones: memory over an idle reader, versus client-go dynamic"]; v.Reached != "lost in noise" || !v.Passed() {
		t.Errorf("%+v", v)
	}
}

func TestTheHeadIsOverAllKinds(t *testing.T) {
	d := document()
	d.Kinds = collections()
	text := d.Markdown()
	last := 0
	for _, heading := range []string{
		"\n## Over all 4 kinds of collections\n", "\n## Figures to reach, by kind\n",
		"\n## Figures to reach, replicas and parts\n", "\n## Two pods\n",
		"\n## Costs of each kind\n",
	} {
		at := strings.Index(text, heading)
		if at < last {
			t.Errorf("%q is at %d, after %d", heading, at, last)
		}
		last = at
	}
	if !strings.Contains(d.Text(), "\nover all 4 kinds of collections\n") {
		t.Errorf("%s", d.Text())
	}
}
