package report

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Document is all that a run reports.
type Document struct {
	Machine  Machine
	Began    time.Time
	Took     time.Duration
	Rounds   int
	Tables   []Titled
	Verdicts []Verdict
}

// Titled is a table with a line above it.
type Titled struct {
	Title string
	Table Table
}

// Machine is where a run took place, and of what.
type Machine struct {
	Cores  int
	CPU    string
	Go     string
	Commit string
}

// ThisMachine tells of this one. What cannot be found out is "unknown".
func ThisMachine() Machine {
	m := Machine{Cores: runtime.NumCPU(), CPU: "unknown", Go: runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH, Commit: "unknown"}
	if out, err := exec.Command("git", "describe", "--tags", "--always", "--dirty").Output(); err == nil {
		m.Commit = strings.TrimSpace(string(out))
	}
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return m
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			m.CPU = strings.TrimSpace(value)
			break
		}
	}
	return m
}

// Text is for a terminal.
func (d Document) Text() string {
	var b strings.Builder
	for _, t := range d.Tables {
		fmt.Fprintf(&b, "\n%s\n\n%s", t.Title, t.Table)
	}
	if len(d.Verdicts) > 0 {
		fmt.Fprintf(&b, "\nfigures to reach\n\n%s", VerdictTable(d.Verdicts))
	}
	return b.String()
}

// Markdown is for a file.
func (d Document) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Results\n\nWritten by `informerbench run`; what is measured and how: the package documentation of `bench/trial`.\n\n")
	fmt.Fprintf(&b, "- date: %s, took %s\n", d.Began.UTC().Format(time.DateOnly), d.Took.Round(time.Second))
	fmt.Fprintf(&b, "- commit: %s\n- machine: %d cores, %s\n- Go: %s\n- rounds: %d; figures are their medians\n",
		d.Machine.Commit, d.Machine.Cores, d.Machine.CPU, d.Machine.Go, d.Rounds)
	if len(d.Verdicts) > 0 {
		fmt.Fprintf(&b, "\n## Figures to reach\n\n%s", VerdictTable(d.Verdicts))
	}
	for _, t := range d.Tables {
		fmt.Fprintf(&b, "\n## %s\n\n%s", strings.ToUpper(t.Title[:1])+t.Title[1:], t.Table)
	}
	return b.String()
}
