package changes

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/plan/reach"
	"github.com/informerd/informerd/internal/plan/shown"
)

// nameWidth is that of the name at the beginning of a plan's line.
const nameWidth = 18

func item(name, text string) string { return fmt.Sprintf("%-*s %s", nameWidth, name, text) }

// plain returns a line without the space that puts it below others.
func plain(line string) string {
	if len(line) <= nameWidth || line[nameWidth] != ' ' {
		return line
	}
	return strings.TrimRight(line[:nameWidth], " ") + " " + strings.TrimLeft(line[nameWidth:], " ")
}

// settingsOf returns what is set below deadLetters or shutdown, one a line.
func settingsOf(cfg *config.Config, kind string) (lines []string) {
	parts := map[string]any{"deadLetters": cfg.DeadLetters, "shutdown": cfg.Shutdown}
	for name, value := range membersOf(parts[kind]) {
		lines = append(lines, item(name, setting(value)))
	}
	slices.Sort(lines)
	return lines
}

// setting returns the text of a value that is JSON.
func setting(value string) string {
	var text string
	if json.Unmarshal([]byte(value), &text) != nil {
		return value
	}
	if d, err := time.ParseDuration(text); err == nil {
		return document.Short(d)
	}
	return text
}

// process returns the settings of the process, one a line: those that a plan has, and of parts that
// another configuration has as well, the others. None of them may be a secret.
func process(cfg, other *config.Config) (lines []string) {
	lines = append(lines, item("cluster", cfg.Cluster.Name))
	for _, s := range shown.Process(cfg) {
		lines = append(lines, item(s.Name, s.Text))
	}
	was, is := processOf(other), processOf(cfg)
	for _, field := range []string{"cluster.compression", "http.audiences", "http.hosts",
		"http.pprof", "state.onDiskError", "leaderElection.leaseDuration",
		"leaderElection.renewDeadline", "leaderElection.retryPeriod", "tracing.timeout"} {
		part, name, _ := strings.Cut(field, ".")
		others, members := membersOf(was[part]), membersOf(is[part])
		if value, ok := members[name]; ok && len(others) > 0 {
			lines = append(lines, item(field, setting(value)))
		}
	}
	return lines
}

// untilRestart returns the lines of a listener whose select a reload has changed: until a restart
// it decides nothing before its buffer.
func untilRestart(lines []string) (all []string) {
	const before = "before the buffer"
	for i, line := range lines {
		switch {
		case line == item("behind the buffer", shown.Decided):
		case !strings.HasPrefix(line, before) ||
			strings.HasPrefix(line, item(before, "("+shown.OfFilter)) ||
			strings.HasPrefix(line, item(before, "("+shown.OfUpdates)):
			all = append(all, line)
		case i == 0 || !strings.HasPrefix(lines[i-1], before):
			all = append(all, item(before, "every event gets in, until informerd restarts"))
		}
	}
	return all
}

// resource is what is watched with a line of a plan's watches.
func resource(line string) string { return line[:strings.IndexByte(line+",", ',')] }

// nameOf is what a line with a name is about.
func nameOf(line string) string { return line[:min(nameWidth, len(line))] }

// grouped returns how lines differ, those about the same together.
func grouped(before, after []string, about func(line string) string) (l Lines) {
	type line struct {
		text string
		is   bool // it is new
	}
	var all []line
	for _, text := range minus(before, after) {
		all = append(all, line{text, false})
	}
	for _, text := range minus(after, before) {
		all = append(all, line{text, true})
	}
	slices.SortStableFunc(all, func(a, b line) int {
		return cmp.Or(cmp.Compare(about(a.text), about(b.text)),
			cmp.Compare(order(a.is), order(b.is)), cmp.Compare(a.text, b.text))
	})
	for _, one := range all {
		if one.is {
			l.add(one.text)
		} else {
			l.remove(one.text)
		}
	}
	return l
}

func order(is bool) int {
	if is {
		return 1
	}
	return 0
}

// minus returns the lines without others, each of which stands for one.
func minus(lines, others []string) (left []string) {
	others = slices.Clone(others)
	for _, line := range lines {
		if i := slices.Index(others, line); i >= 0 {
			others = slices.Delete(others, i, i+1)
			continue
		}
		left = append(left, line)
	}
	return left
}

// folded returns lines with those as one that say the same of listeners which an output never gets.
func folded(lines []string) (all []string) {
	for len(lines) > 0 {
		head, name, what := neverGets(lines[0])
		names := []string{name}
		for _, line := range lines[1:] {
			h, name, w := neverGets(line)
			if what == "" || h != head || w != what {
				break
			}
			names = append(names, name)
		}
		if len(names) > reach.MaxNamed {
			all = append(all, head+reach.Several(names)+": "+what)
		} else {
			all = append(all, lines[:len(names)]...)
		}
		lines = lines[len(names):]
	}
	return all
}

// neverGets returns the parts of a line about what an output never gets of a listener.
func neverGets(line string) (head, name, what string) {
	for _, sign := range []string{"- ", "+ "} {
		head = sign + item("never gets", "")
		if rest, ok := strings.CutPrefix(line, head); ok {
			name, what, _ = strings.Cut(rest, ": ")
			return head, name, what
		}
	}
	return "", "", ""
}
