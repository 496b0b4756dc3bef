package report

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Document is the report of a run.
type Document struct {
	Machine  Machine
	Began    time.Time
	Took     time.Duration
	Rounds   int
	Tables   []Titled
	Verdicts []Verdict    // of everything except the kinds
	Kinds    []Collection // of the scene of that name
	// failures: missing trials, contenders that did not do the same work
	Problems []string
}

// kindTables returns the tables of the kinds, the first one for the start of the document.
func (d Document) kindTables() []Titled {
	if len(d.Kinds) == 0 {
		return nil
	}
	return []Titled{
		{fmt.Sprintf("over all %d kinds of collections", len(d.Kinds)), Overall(d.Kinds)},
		{"figures to reach, by kind", KindFigures(d.Kinds)},
		{"costs of each kind", KindContenders(d.Kinds)},
	}
}

// Titled is a table with a title.
type Titled struct {
	Title string
	Table Table
}

// Machine is the machine of a run, and the tested version.
type Machine struct {
	Cores  int
	CPU    string
	Go     string
	Commit string
}

// ThisMachine describes this machine. Unknown fields are "unknown".
func ThisMachine() Machine {
	m := Machine{Cores: runtime.NumCPU(), CPU: "unknown", Go: runtime.Version() + " " +
		runtime.GOOS + "/" + runtime.GOARCH, Commit: "unknown"}
	if out, err := exec.Command("git", "describe", "--tags", "--always",
		"--dirty").Output(); err == nil {
		m.Commit = strings.TrimSpace(string(out))
	}
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return m
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok &&
			strings.TrimSpace(name) == "model name" {
			m.CPU = strings.TrimSpace(value)
			break
		}
	}
	return m
}

// Text returns the report for a terminal.
func (d Document) Text() string {
	var b strings.Builder
	for _, t := range append(slices.Clone(d.Tables), d.kindTables()...) {
		fmt.Fprintf(&b, "\n%s\n\n%s", t.Title, t.Table)
	}
	if len(d.Verdicts) > 0 {
		fmt.Fprintf(&b, "\nfigures to reach\n\n%s", VerdictTable(d.Verdicts))
	}
	if len(d.Problems) > 0 {
		fmt.Fprintf(&b, "\nwhat went wrong\n\n%s", d.problems())
	}
	return b.String()
}

func (d Document) problems() string {
	var b strings.Builder
	for _, problem := range d.Problems {
		fmt.Fprintf(&b, "- %s\n", strings.ReplaceAll(problem, "\n", " "))
	}
	return b.String()
}

// Markdown returns the report for a file.
func (d Document) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Results\n\nWritten by `informerbench run`; what is measured and how: the package "+
		"documentation of\n`bench/trial`.\n\n")
	fmt.Fprintf(&b, "- date: %s, took %s\n", d.Began.UTC().Format(time.DateOnly),
		d.Took.Round(time.Second))
	fmt.Fprintf(&b, "- commit: %s\n- machine: %d cores, %s\n- Go: %s\n- rounds: %d; figures are their medians\n",
		d.Machine.Commit, d.Machine.Cores, d.Machine.CPU, d.Machine.Go, d.Rounds)
	if len(d.Problems) > 0 {
		fmt.Fprintf(&b, "\n## What went wrong\n\n%s", d.problems())
	}
	section := func(t Titled) {
		fmt.Fprintf(&b, "\n## %s\n\n%s", strings.ToUpper(t.Title[:1])+t.Title[1:], t.Table)
	}
	kinds := d.kindTables()
	if len(kinds) > 0 { // general results come before those of some kinds
		section(kinds[0])
		section(kinds[1])
	}
	if len(d.Verdicts) > 0 {
		fmt.Fprintf(&b, "\n## Figures to reach, replicas and parts\n\n%s", VerdictTable(d.Verdicts))
	}
	for _, t := range d.Tables {
		section(t)
	}
	if len(kinds) > 0 {
		section(kinds[2])
	}
	b.WriteString(d.comment())
	return b.String()
}
