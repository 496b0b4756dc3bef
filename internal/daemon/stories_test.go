package daemon

import (
	"os"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
)

// TestStories plays what is in testdata/stories.txt: "### name", a configuration of one listener as
// the page about filters has them, a line "events", and what happens. At the end, no violation of
// an object that is gone is open.
func TestStories(t *testing.T) {
	data, err := os.ReadFile("testdata/stories.txt")
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := plan.BuiltinSchemas()
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range strings.Split(string(data), "### ")[1:] {
		name, rest, _ := strings.Cut(section, "\n")
		yaml, events, found := strings.Cut(rest, "\nevents\n")
		if !found {
			t.Fatalf("%s has no events", name)
		}
		t.Run(strings.ReplaceAll(strings.TrimSpace(name), " ", "-"), func(t *testing.T) {
			cfg, err := config.Parse(t.TempDir()+"/config.yaml", []byte(whole(yaml)))
			if err != nil {
				t.Fatal(err)
			}
			s := tell(t, cfg, schemas, cfg.ListenersInOrder()[0].Name, events)
			if book := s.listener.setup().book(); book != nil {
				for _, v := range book.Open() {
					found := false
					for key := range s.states {
						found = found || key.Namespace == v.Namespace && key.Name == v.Name
					}
					if !found {
						t.Errorf("open in the end: %+v", v)
					}
				}
			}
		})
	}
}
