package eval_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/informer/event"
)

// An answer is the same however little CPU there is: next to a busy goroutine, and with a limit on
// CPU that stops the process again and again.
func TestAnswersDoNotDependOnTheMachine(t *testing.T) {
	if n := os.Getenv("FILTERS_ANSWERS"); n != "" { // this is the process with the limit
		count, _ := strconv.Atoi(n)
		fmt.Printf("unanswered %d\n", unanswered(t, count))
		return
	}
	t.Run("next to a busy goroutine", func(t *testing.T) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		stop, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			for {
				select {
				case <-stop:
					return
				default:
				}
				for x := range 100_000 {
					_ = x * x
				}
			}
		}()
		n := unanswered(t, 300)
		close(stop)
		<-ended
		if n != 0 {
			t.Errorf("%d evaluations had no answer", n)
		}
	})
	t.Run("with a quota of CPU", func(t *testing.T) {
		group := quota(t)
		command := exec.Command("/bin/sh", "-c",
			`echo $$ > "$0"/cgroup.procs && exec "$1" -test.run '^TestAnswersDoNotDependOnTheMachine$'`, group, os.Args[0])
		command.Env = append(os.Environ(), "FILTERS_ANSWERS=1500")
		out, err := command.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "unanswered 0\n") {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// quota makes a cgroup that may use 10 ms of CPU in 100, by either version of cgroups, or skips the
// test where none can be made.
func quota(t *testing.T) string {
	t.Helper()
	var err error
	for root, limits := range map[string][][2]string{
		"/sys/fs/cgroup":     {{"cpu.max", "10000 100000"}},
		"/sys/fs/cgroup/cpu": {{"cpu.cfs_period_us", "100000"}, {"cpu.cfs_quota_us", "10000"}},
	} {
		group, failed := os.MkdirTemp(root, "filters-test-")
		if failed == nil {
			t.Cleanup(func() { _ = os.Remove(group) })
			// else it is a folder like any other
			_, failed = os.Stat(filepath.Join(group, "cgroup.procs"))
		}
		for _, limit := range limits {
			if failed == nil {
				failed = os.WriteFile(filepath.Join(group, limit[0]), []byte(limit[1]), 0o644)
			}
		}
		if failed == nil {
			return group
		}
		err = errors.Join(err, failed)
	}
	t.Skipf("no limit on CPU can be set here: %v", err)
	return ""
}

// unanswered evaluates what every evaluation answers with true.
func unanswered(t *testing.T, n int) (wrong int) {
	t.Helper()
	endpoint := `{"addresses":["10.0.0.1"],"conditions":{"ready":false,"serving":false,"terminating":false},"nodeName":"node-1","targetRef":{"kind":"Pod","name":"web-7d9c-abcde","namespace":"shop"},"zone":"eu-1a"}`
	o := filtertest.NewObject(t, `{"metadata":{"name":"web"},"endpoints":[`+
		strings.TrimSuffix(strings.Repeat(endpoint+",", 100), ",")+`]}`)
	e := filtertest.Compile(t,
		`none(object.endpoints, .conditions.ready) && all(object.endpoints, .nodeName startsWith "node-")`).Evaluator()
	for range n {
		if ok, err := e.Match(event.Event{Op: event.Add, Object: o}); err != nil || !ok {
			wrong++
		}
	}
	return wrong
}
