package e2e

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// metric compares a metric of the API server. Without -eventually it is read once.
func metric(ts *testscript.TestScript, args []string) {
	c := storyOf(ts).cluster
	wait := args[0] == "-eventually"
	if wait {
		args = args[1:]
	}
	name, labels, want := args[0], args[1:len(args)-1], float64(number(ts, args[len(args)-1]))
	check := func() error {
		var text []byte
		err := c.retry(func(ctx context.Context) (err error) {
			text, err = c.discovery.RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
			return err
		})
		if err != nil {
			return err
		}
		got, samples, err := sum(string(text), name, labels)
		if err == nil && got != want {
			err = fmt.Errorf("%s %v is %v, want %v; there are\n%s", name, labels, got, want,
				strings.Join(samples, "\n"))
		}
		return err
	}
	if wait {
		ts.Check(eventually(check))
	} else {
		ts.Check(check())
	}
}

var label = regexp.MustCompile(`([a-zA-Z0-9_]+)="((?:[^"\\]|\\.)*)"`)

// sum returns the sum of the samples of a metric that have all these labels, and the samples.
func sum(text, name string, labels []string) (total float64, samples []string, err error) {
	exists := false
	for line := range strings.Lines(text) {
		rest, found := strings.CutPrefix(strings.TrimSpace(line), name+"{")
		if !found {
			continue
		}
		exists = true
		at := strings.LastIndex(rest, "} ")
		if at < 0 {
			return 0, nil, fmt.Errorf("malformed metric: %q", line)
		}
		has := map[string]bool{}
		for _, match := range label.FindAllStringSubmatch(rest[:at], -1) {
			has[match[1]+"="+match[2]] = true
		}
		all := true
		for _, wanted := range labels {
			all = all && has[wanted]
		}
		if !all {
			continue
		}
		value, err := strconv.ParseFloat(rest[at+2:], 64)
		if err != nil {
			return 0, nil, fmt.Errorf("malformed metric: %q: %w", line, err)
		}
		total += value
		samples = append(samples, strings.TrimSpace(line))
	}
	if !exists {
		return 0, nil, fmt.Errorf("the API server has no metric %s", name)
	}
	return total, samples, nil
}
