package report

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// measured returns figures of which some reach their targets and some do not.
func measured() Results {
	return Results{
		Main: map[string]Figures{
			"drop":           {EventCPU: 5, ListCPU: 5, SingleCPU: 50},
			"dynamic":        {EventCPU: 600, ListCPU: 700, Heap: 60_000},
			"typed-json":     {Heap: 18_000, P99: 3 * time.Millisecond},
			"typed-protobuf": {Heap: 20_000, P99: 2 * time.Millisecond},
			"core": {
				EventCPU: 10, ListCPU: 20, Heap: 2_000, PeakRSS: 130, SteadyRSS: 100,
				P99:       3 * time.Millisecond,
				SingleCPU: 90, IdleCPU: 7, SingleP50: 400 * time.Microsecond,
				SingleP99: 1500 * time.Microsecond,
			},
		},
		OneListener: Figures{EventCPU: 10}, Further: 100,
		ManyListeners: []FurtherListeners{{"a name", 0.5, Figures{EventCPU: 70}}, {
			"a field", 0.1, Figures{EventCPU: 15}}},
		Few: Figures{Objects: 10_000, EventCPU: 10}, Many: Figures{Objects: 200_000, EventCPU: 13},
		ManyWorkloads: Figures{EventCPU: 11}, Workloads: 5_000,
		OneInformer: Figures{EventCPU: 10}, ManyInformers: Figures{EventCPU: 14}, Informers: 100,
		Matched: []Matched{{"file", 13_000, 14, 7, 3}, {"pipe", 13_000, 9, 1, 0}},
		Passed:  []Passed{{"webhook", 62_000, 400_000, 7, 20_000}},
		Starts:  []Start{{1_000, 1.5, 0.6, 2.5}},
		Delivered: []Delivered{{"Kafka", 2_000, 300_000, 200_000, 600_000,
			1.5, 1.1, 1.9, 0.8, 0.7}},
		Hostile: []Input{{"white space", 1.1}, {"deep nesting", 1.8}, {"huge neighbours", 0.9}},
	}
}

func TestVerdicts(t *testing.T) {
	want := strings.TrimPrefix(`
|                                                                           |    required |    reached |                verdict |
|---------------------------------------------------------------------------|------------:|-----------:|-----------------------:|
| watch event, CPU, versus reading and dropping                             |       <= 2x |      2.00x |                   pass |
| watch event, CPU, versus client-go dynamic                                | >= 40x less | 60.0x less |                   pass |
| initial list, CPU, versus reading and dropping                            |       <= 3x |      4.00x |            falls short |
| initial list, CPU, versus client-go dynamic                               | >= 35x less | 35.0x less |                   pass |
| heap per cached object, versus client-go dynamic                          | >= 30x less | 30.0x less |                   pass |
| heap per cached object, versus client-go typed                            |  >= 9x less | 9.00x less |                   pass |
| peak RSS of the first list, versus the steady RSS                         |     <= 1.3x |      1.30x |                   pass |
| a further listener that does not match, asking for a name, CPU per event  |   <= 0.5 us |     0.6 us | falls short (absolute) |
| a further listener that does not match, asking for a field, CPU per event |   <= 0.1 us |    0.05 us |        pass (absolute) |
| CPU per event with 200000 objects, versus 10000                           |     <= 1.2x |      1.30x |            falls short |
| CPU per event with 5000 workloads, versus 50                              |     <= 1.2x |      1.10x |                   pass |
| CPU per event with 100 informers, versus 1                                |     <= 1.2x |      1.40x |            falls short |
| API server write to handler, p99, versus client-go typed                  |       <= 1x |      1.50x |            falls short |
| a single event, CPU without idle CPU, versus reading and dropping         |       <= 2x |      1.80x |                   pass |
| a single event, write to handler, 99 of 100                               |     <= 1 ms |     1.5 ms | falls short (absolute) |
| a matching event, CPU, versus writing the same bytes to a file            |       <= 3x |      2.00x |                   pass |
| events/s from a full buffer, webhook                                      |    >= 20000 |      62000 |        pass (absolute) |
| a start with 1000 listeners, CPU, versus validate                         |     <= 2.5x |      2.50x |                   pass |
| messages/s to Kafka, versus its client with the same events               |     >= 0.7x |      1.50x |                   pass |
| the costliest input, versus strict reading                                |     <= 1.5x |      1.80x |            falls short |
`, "\n")
	if got := VerdictTable(Verdicts(measured())).String(); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	// The tolerance applies to the ratio to the limit.
	for i, excess := range []float64{1, 40.0 / 60, 4.0 / 3} {
		if got := Verdicts(measured())[i].Excess; got < excess*0.999 || got > excess*1.001 {
			t.Errorf("verdict %d: %v of the limit, want %v", i, got, excess)
		}
	}
}

func TestADifferenceBelowZeroIsNoise(t *testing.T) {
	r := measured()
	r.ManyListeners[0].Figures.EventCPU = 9
	for _, v := range Verdicts(r) {
		if strings.HasSuffix(v.What, "asking for a name, CPU per event") &&
			(v.Reached != "lost in noise" || !v.Passed()) {
			t.Errorf("%+v", v)
		}
	}
}

func TestWhatWasNotMeasuredHasNoVerdict(t *testing.T) {
	if got := Verdicts(Results{Main: map[string]Figures{"drop": {EventCPU: 5}}}); got != nil {
		t.Errorf("%v", got)
	}
	r := Results{Main: map[string]Figures{"core": measured().Main["core"],
		"drop": measured().Main["drop"]}}
	r.Main["core"] = Figures{EventCPU: 10, ListCPU: 20, PeakRSS: 2, SteadyRSS: 1}
	var got []string
	for _, v := range Verdicts(r) {
		got = append(got, v.What)
	}
	want := "watch event, CPU, versus reading and dropping; initial list, CPU, versus reading and dropping; peak RSS of the first list, versus the steady RSS"
	if strings.Join(got, "; ") != want {
		t.Errorf("%q", got)
	}
}

func withName(name string, f Figures) Figures {
	f.Contender = name
	return f
}

func document() Document {
	return Document{
		Machine: Machine{Cores: 2, CPU: "A Processor", Go: "go1.26.8 linux/amd64",
			Commit: "v0.1.0-3-gabcdef0"},
		Began: time.Date(2026, time.November, 20, 23, 59, 0, 0, time.UTC), Took: 754*time.Second +
			300*time.Millisecond, Rounds: 3,
		Tables: []Titled{{"two pods", Contenders([]Figures{{
			Contender: "core", ListCPU: 29.1, EventCPU: 34.3, ListWall: time.Second,
			EventWall: 751 * time.Millisecond, Heap: 6680, Resident: 6930,
			PeakRSS: 187e6, SteadyRSS: 176e6, ListAllocs: 13.4, EventAllocs: 11.5,
			P50: 126 * time.Microsecond, P99: 1190 * time.Microsecond,
		}})}, {"single events", Singles([]Figures{withName("core", measured().Main["core"]), {
			Contender: "dynamic"}})}},
		Verdicts: Verdicts(Results{Main: map[string]Figures{"core": {EventCPU: 10}, "drop": {
			EventCPU: 4}}}),
	}
}

const contendersTable = `
|      | list CPU/object | event CPU | list wall | burst wall | heap/object | RSS/object | peak RSS | steady RSS | allocs/object | allocs/event | latency p50 |     p99 |
|------|----------------:|----------:|----------:|-----------:|------------:|-----------:|---------:|-----------:|--------------:|-------------:|------------:|--------:|
| core |         29.1 us |   34.3 us |    1.00 s |     751 ms |     6.68 KB |    6.93 KB |   187 MB |     176 MB |          13.4 |         11.5 |      126 us | 1.19 ms |
`

const verdictTable = `
|                                               | required | reached |     verdict |
|-----------------------------------------------|---------:|--------:|------------:|
| watch event, CPU, versus reading and dropping |    <= 2x |   2.50x | falls short |
`

const singlesTable = `
|      | event CPU | idle CPU/s | seen after | 99 of 100 within |
|------|----------:|-----------:|-----------:|-----------------:|
| core |   90.0 us |    7.00 us |     400 us |          1.50 ms |
`

func TestTheResultsFile(t *testing.T) {
	want := "# Results\n\nWritten by `informerbench run`; what is measured and how: the package documentation of\n`bench/trial`.\n" + `
- date: 2026-11-20, took 12m34s
- commit: v0.1.0-3-gabcdef0
- machine: 2 cores, A Processor
- Go: go1.26.8 linux/amd64
- rounds: 3; figures are their medians

## Figures to reach, replicas and parts
` + verdictTable + "\n## Two pods\n" + contendersTable + "\n## Single events\n" + singlesTable +
		"\n" + commentBegins + "{\"watch event, CPU, versus reading and dropping\":1.25}" +
		commentEnds
	if got := document().Markdown(); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

func TestTheTerminal(t *testing.T) {
	want := "\ntwo pods\n" + contendersTable + "\nsingle events\n" + singlesTable +
		"\nfigures to reach\n" + verdictTable
	if got := document().Text(); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	if got := (Document{}).Text(); got != "" {
		t.Errorf("%q", got)
	}
}

const partsTables = `
| written to | bytes | event CPU | writing as much | event / writing |
|------------|------:|----------:|----------------:|----------------:|
| file       | 13000 |   14.0 us |         7.00 us |           2.00x |
| pipe       | 13000 |   9.00 us |         1.00 us |           9.00x |

|         | events/s | event CPU | filter alone, events/s |
|---------|---------:|----------:|-----------------------:|
| webhook |    62000 |   7.00 us |                 400000 |

|       | bytes | output / client | lowest | highest | CPU, output / client | output / client, messages made before | output, messages/s | client | client, messages made before |
|-------|------:|----------------:|-------:|--------:|---------------------:|--------------------------------------:|-------------------:|-------:|-----------------------------:|
| Kafka |  2000 |           1.50x |  1.10x |   1.90x |                0.80x |                                 0.50x |             300000 | 200000 |                       600000 |

|                 | reading / strict reading |
|-----------------|-------------------------:|
| deep nesting    |                    1.80x |
| white space     |                    1.10x |
| huge neighbours |                    0.90x |
`

func TestTablesOfParts(t *testing.T) {
	r := measured()
	if got := "\n" + MatchedEvents(r.Matched).String() + "\n" +
		Throughputs(r.Passed).String() + "\n" +
		Deliveries(r.Delivered).String() + "\n" +
		Inputs(r.Hostile).String(); got != partsTables {
		t.Errorf("%s\nwant\n%s", got, partsTables)
	}
}

func TestWhatWentWrongComesFirst(t *testing.T) {
	d := Document{Problems: []string{"one\nthing", "another"},
		Tables: []Titled{{"a table", Table{Head: []string{""}}}}}
	const list = "\n\n- one thing\n- another\n"
	if got := d.Text(); !strings.HasSuffix(got, "\nwhat went wrong"+list) {
		t.Errorf("%s", got)
	}
	if got := d.Markdown(); !strings.Contains(got, "their medians\n\n## What went wrong"+list+
		"\n## A table\n") {
		t.Errorf("%s", got)
	}
}

func TestThisMachineIsDescribed(t *testing.T) {
	m := ThisMachine()
	if m.Cores != runtime.NumCPU() || !strings.HasPrefix(m.Go, "go") &&
		!strings.HasPrefix(m.Go, "devel") || m.CPU == "" || m.Commit == "" {
		t.Errorf("%+v", m)
	}
	// Without git and outside of a repository the commit is not known.
	t.Chdir(t.TempDir())
	t.Setenv("PATH", filepath.Join(os.TempDir(), "none"))
	if m := ThisMachine(); m.Commit != "unknown" {
		t.Errorf("%+v", m)
	}
}
