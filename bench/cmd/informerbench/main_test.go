package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/bench/apiserver"
	"github.com/informerd/informerd/bench/report"
	"github.com/informerd/informerd/bench/trial"
)

// asProgram, set in the environment, makes the test binary act as informerbench, which run starts.
const asProgram = "INFORMERBENCH_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	goleak.VerifyTestMain(m)
}

func TestAQuickRun(t *testing.T) {
	t.Setenv(asProgram, "1")
	dir := t.TempDir()
	out, raw := filepath.Join(dir, "RESULTS.md"), filepath.Join(dir, "raw.json")
	var stdout, stderr strings.Builder
	code := command(t.Context(), []string{
		"run", "-quick", "-scenes", "main,checkpoints,kinds", "-objects", "100", "-events", "200",
		"-restart-objects", "100", "-kind-objects", "70", "-kinds", "events,job-pods-churn",
		"-contenders", "core,drop", "-repeats", "1", "-rest", "0s", "-cool", "100ms", "-o", out,
		"-json", raw,
	}, nil, &stdout, &stderr)
	// Figures of so few objects are meaningless; the only allowed failure is that some fall short
	// by a factor of two.
	const short = "informerbench run: ratios fall short by more than a factor of two\n"
	if code != 0 && !strings.HasSuffix(stderr.String(), short) {
		t.Fatalf("exit code %d\n%s", code, stderr.String())
	}
	for _, words := range []string{"\n100 pods of 10 KB, 200 events, plain HTTP/1.1\n", "\n| drop ",
		"\n| core ", "\nfigures to reach\n", "\n| watch event, CPU, versus reading and dropping ",
		"\nover all 2 kinds of collections\n", "\n| Events ",
		"\n| pods of Jobs that never come twice ", "\n| 50 listeners, checkpoint ",
		"\n| restart with it ", "\n| start to first event with a checkpoint, "} {
		if !strings.Contains(stdout.String(), words) {
			t.Errorf("the output lacks %q:\n%s", words, stdout.String())
		}
	}
	results, err := os.ReadFile(out)
	if err != nil || !strings.HasPrefix(string(results), "# Results\n") ||
		!strings.Contains(string(results), "\n- rounds: 1; ") {
		t.Errorf("%v\n%s", err, results)
	}
	text, err := os.ReadFile(raw)
	if err != nil {
		t.Fatal(err)
	}
	var trials map[string][]trial.Result
	if err := json.Unmarshal(text, &trials); err != nil || len(trials["main/h1"]) != 2 ||
		trials["main/h1"][1].MatchedChanges == 0 || len(trials["kinds/events/h1"]) != 3 {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestOnlyRatiosFailAQuickRun(t *testing.T) {
	doc := report.Document{Verdicts: []report.Verdict{{What: "events/s", Required: ">= 100000",
		Reached: "46234", Excess: 2.16, Absolute: true}}}
	var stdout strings.Builder
	const uncounted = "\noff by more than a factor of two, but absolute, so it does not count: " +
		"events/s: 46234, required: >= 100000\n"
	if err := judge(&stdout, doc, nil); err != nil || stdout.String() != uncounted {
		t.Errorf("%v: %s", err, stdout.String())
	}
	doc.Verdicts = append(doc.Verdicts, report.Verdict{What: "CPU", Required: "<= 2x",
		Reached: "6x", Excess: 3})
	stdout.Reset()
	const failed = "\noff by more than a factor of two: CPU: 6x, required: <= 2x\n"
	if err := judge(&stdout, doc, nil); err != errFallsShort ||
		stdout.String() != uncounted+failed {
		t.Errorf("%v: %s", err, stdout.String())
	}
}

func TestATrialThatFailsIsMissing(t *testing.T) {
	t.Setenv(asProgram, "1")
	out := filepath.Join(t.TempDir(), "RESULTS.md")
	var stdout, stderr strings.Builder
	code := command(t.Context(), []string{
		"run", "-quick", "-scenes", "main", "-objects", "100", "-events", "200", "-contenders",
		"core,daemon", "-informerd", "/bin/false",
		"-repeats", "1", "-rest", "0s", "-o", out,
	}, nil, &stdout, &stderr)
	if code != 1 || !strings.HasSuffix(stderr.String(),
		"informerbench run: some measurements are missing\n") || strings.Count(stderr.String(),
		"informerbench client: daemon: list: ") != 2 {
		t.Errorf("exit code %d\n%s", code, stderr.String())
	}
	results, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{
		"\n## What went wrong\n\n- scene main: a trial is missing: daemon over h1: exit status 1: ",
		"informerd: exit status 1", "\n| core ", "\n| peak RSS "} {
		if !strings.Contains(string(results), words) {
			t.Errorf("the results lack %q:\n%s", words, results)
		}
	}
	if strings.Contains(string(results), "\n| daemon ") {
		t.Errorf("a missing contender has a row:\n%s", results)
	}
}

func TestTheServerEndsWithItsStdin(t *testing.T) {
	stdin, hold := io.Pipe()
	stdout, announce := io.Pipe()
	code := make(chan int, 1)
	dir := t.TempDir()
	go func() {
		code <- command(t.Context(), []string{
			"serve", "-until-stdin-ends", "-dir", dir, "-kind", "widgets", "-objects", "3",
			"-events", "2", "-size", "2000",
		}, stdin, announce, os.Stderr)
	}()
	var at apiserver.Endpoints
	if err := json.NewDecoder(stdout).Decode(&at); err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, stdout)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(at.URL + "/apis/bench.informerd.dev/v1/widgets")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || !strings.Contains(string(text), `"kind":"WidgetList"`) {
		t.Errorf("%v: %.200s", err, text)
	}
	if err := hold.Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-code; got != 0 {
		t.Errorf("exit code %d", got)
	}
	announce.Close()
}

func TestMistakesOnTheCommandLine(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", usage},
		{"walk", usage},
		{"run -contenders core,nobody",
			`informerbench run: -contenders "nobody": it is a list of drop, dynamic, dynamic+transform, typed-json, typed-protobuf, core, daemon, shell-operator` + "\n"},
		{"run -proto h3", `informerbench run: -proto "h3": it is a list of h1, h2` + "\n"},
		{"run -scenes x", `informerbench run: -scenes "x": it is a list of main, listeners, growth, parts, checkpoints, kinds` + "\n"},
		{"run -rounds 0", "informerbench run: -rounds, -repeats, -objects, -kind-objects, -restart-objects, -size, -events and -others must be positive, -paced and -singles not negative\n"},
		{"run -contenders daemon -informerd none",
			"informerbench run: the daemon cannot be measured: stat none: no such file or directory: " +
				"build it, set its path with -informerd, or leave it out of -contenders\n"},
		{"serve -kind ghosts", `informerbench serve: -kind "ghosts": it is one of ` +
			strings.Join(allKinds(), ", ") + "\n"},
		{"serve -kind widgets -protobuf -objects 1 -events 1",
			"informerbench serve: collection of widgets: only pods are served as protobuf\n"},
		{"client -kind ghosts", `informerbench client: -kind "ghosts": it is one of ` +
			strings.Join(allKinds(), ", ") + "\n"},
		{"run -kinds ghosts", `informerbench run: -kinds "ghosts": it is a list of ` +
			strings.Join(kindIDs(), ", ") + "\n"},
		{"client -contender x",
			`informerbench client: contender "x": unknown, or not for this kind of object` +
				"\n"},
	} {
		var stdout, stderr strings.Builder
		code := command(context.Background(), strings.Fields(c.args), strings.NewReader(""),
			&stdout, &stderr)
		if code == 0 || stderr.String() != c.want || stdout.Len() > 0 {
			t.Errorf("%s: exit code %d, %q, want %q", c.args, code, stderr.String(), c.want)
		}
	}
}

func TestQuickMeansSmallNumbersUnlessGiven(t *testing.T) {
	p, err := parsePlan([]string{"-quick", "-events", "77", "-contenders", "core,drop"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if p.rounds != 1 || p.objects != 5000 || p.events != 77 ||
		!reflect.DeepEqual(p.contenders, []string{"drop", "core"}) ||
		!reflect.DeepEqual(p.scenes, []string{"main", "parts", "checkpoints", "kinds"}) || len(p.kinds) != 4 ||
		p.kindObjects != 5000 {
		t.Errorf("%+v", p)
	}
	if p, err = parsePlan(nil, io.Discard); err != nil || p.rounds != 3 || p.objects != 20_000 ||
		p.events != 20_000 || len(p.contenders) != 8 || len(p.protocols) != 2 ||
		len(p.scenes) != 6 || len(p.kinds) != len(kindRows) || p.kindObjects != 5000 {
		t.Errorf("%+v, %v", p, err)
	}
}
