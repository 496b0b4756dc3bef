package contender

import (
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/bench/apiserver"
	"github.com/informerd/informerd/bench/objects"
)

// fakeDaemon, set in the environment, makes the test binary act as informerd.
const fakeDaemon = "CONTENDER_TEST_FAKE"

func TestMain(m *testing.M) {
	if lines, ok := os.LookupEnv(fakeDaemon); ok {
		playDaemon(lines)
	}
	if os.Getenv(fakeOperator) != "" {
		playOperator()
	}
	goleak.VerifyTestMain(m)
}

// playDaemon checks its arguments, writes lines, and ends on SIGTERM.
func playDaemon(lines string) {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	cfg, err := os.ReadFile(os.Args[3])
	if got := strings.Join(os.Args[1:3], " ") + " " + os.Args[4]; err != nil ||
		got != "run --config --kubeconfig" {
		fmt.Fprintf(os.Stderr, "called with %q: %v\n", os.Args, err)
		os.Exit(2)
	}
	for _, want := range []string{"{resource: widgets." + objects.WidgetGroup + "}",
		Filters["widgets"], "overflow: block"} {
		if !strings.Contains(string(cfg), want) {
			fmt.Fprintf(os.Stderr, "the configuration lacks %q\n", want)
			os.Exit(2)
		}
	}
	fmt.Print(lines)
	<-stop
	os.Exit(0)
}

const (
	stored = 60
	events = 70
)

// server starts a small server and writes its kubeconfigs.
func server(t *testing.T, kind *objects.Kind, churn bool) (*apiserver.Listener, *http.Client) {
	t.Helper()
	s, err := apiserver.New(apiserver.Config{Collections: []apiserver.Collection{
		{Kind: kind, Count: stored, Size: kind.Size, Events: events, Churn: churn,
			Protobuf: kind.Resource == objects.Pods.Resource},
	}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := apiserver.Listen(s, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	control := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l, control
}
