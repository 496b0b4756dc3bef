package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// receiver starts a server that takes every request, as a webhook or Slack does. Its URL is then in
// the variable, also for every informerd, and each request is a line of the file: method, path,
// body.
func receiver(ts *testscript.TestScript, args []string) {
	path := ts.MkAbs(args[1])
	var mu sync.Mutex
	file, err := os.Create(path)
	ts.Check(err)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		line := strings.ReplaceAll(string(body), "\n", "")
		if _, err := fmt.Fprintln(file, r.Method, r.URL.Path, line); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, "ok") // as Slack answers
	}))
	ts.Defer(func() {
		s.Close()
		_ = file.Close()
	})
	ts.Setenv(args[0], s.URL)
	of := storyOf(ts)
	of.receivers = append(of.receivers, args[0]+"="+s.URL)
}

// expectContent waits until each regular expression matches a line of a file.
func expectContent(ts *testscript.TestScript, args []string) {
	path := ts.MkAbs(args[0])
	ts.Check(eventually(func() error {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, pattern := range args[1:] {
			re, err := regexp.Compile("(?m)" + pattern)
			ts.Check(err)
			if !re.Match(text) {
				return fmt.Errorf("no line of %s matches %s; it has\n%s", args[0], pattern, text)
			}
		}
		return nil
	}))
}
