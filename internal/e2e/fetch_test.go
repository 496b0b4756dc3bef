package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var answering = regexp.MustCompile(`msg="answering requests" address=(\S+) `)

// fetch sends a request to an informerd, as curl or Prometheus would. With -eventually it repeats
// the request until the response is as expected.
func fetch(ts *testscript.TestScript, args []string) {
	wait := args[0] == "-eventually"
	if wait {
		args = args[1:]
	}
	if wait && len(args) < 4 || !wait && len(args) != 3 {
		ts.Fatalf("usage: fetch FILE NAME PATH, fetch -eventually FILE NAME PATH [!]REGEXP…")
	}
	p := storyOf(ts).process(ts, args[1])
	address, err := p.address()
	ts.Check(err)
	ask := func() error {
		body, err := get("http://" + address + args[2])
		if err == nil {
			err = os.WriteFile(ts.MkAbs(args[0]), []byte(body), 0o644)
		}
		if err != nil {
			return err
		}
		return expected(body, args[3:])
	}
	if wait {
		ts.Check(eventually(ask))
	} else {
		ts.Check(ask())
	}
}

// address waits for the address that the process logs.
func (p *process) address() (address string, err error) {
	err = p.await(p.err, func(lines string) error {
		match := answering.FindStringSubmatch(lines)
		if match == nil {
			return fmt.Errorf("it does not answer requests; its log is\n%s", lines)
		}
		address = match[1]
		return nil
	})
	return address, err
}

// get returns the response, even if its status is an error.
func get(url string) (body string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	transport := &http.Transport{DisableKeepAlives: true} // leaves no connections behind
	response, err := transport.RoundTrip(request)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err == nil &&
		response.StatusCode != http.StatusOK &&
		response.StatusCode != http.StatusServiceUnavailable {
		err = fmt.Errorf("GET %s: %s\n%s", url, response.Status, text)
	}
	return string(text), err
}

// expected checks that each pattern matches a line of a text, and that a pattern with ! matches
// none.
func expected(text string, patterns []string) error {
	for _, pattern := range patterns {
		rest, absent := strings.CutPrefix(pattern, "!")
		re, err := regexp.Compile("(?m)" + rest)
		if err != nil {
			return err
		}
		if re.MatchString(text) == absent {
			return fmt.Errorf("no match for %s in\n%s", pattern, text)
		}
	}
	return nil
}

// eventSpan checks the time between two fields of the event that expect-event found.
func eventSpan(ts *testscript.TestScript, args []string) {
	var at [2]time.Time
	for i := range at {
		value, found := field(storyOf(ts).event, args[i])
		if !found {
			ts.Fatalf("the event has no %s:\n%s", args[i], pretty(storyOf(ts).event))
		}
		var err error
		at[i], err = time.Parse(time.RFC3339Nano, plain(value))
		ts.Check(err)
	}
	least, most := duration(ts, args[2]), duration(ts, args[3])
	if span := at[1].Sub(at[0]); span < least || span > most {
		ts.Fatalf("%v from %s to %s, want %v to %v", span, args[0], args[1], least, most)
	}
}
