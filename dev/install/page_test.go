package install

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// block matches a fenced block of a page: its language, and its text.
var block = regexp.MustCompile("(?ms)^```(\\w+)[^\\n]*\\n(.*?)^```$")

// TestPage runs the commands of docs/install.md from the first to the last, in a folder with the
// files that the page shows.
func TestPage(t *testing.T) {
	c := newCluster(t)
	n := newNode(t, c)
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "deploy"), os.DirFS(filepath.Join(repository(t), "deploy"))); err != nil {
		t.Fatal(err)
	}
	s := &steps{t, time.Now()}
	var p *pod
	for _, b := range block.FindAllStringSubmatch(read(t, "docs", "install.md"), -1) {
		language, text := b[1], b[2]
		if language == "yaml" {
			name, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
			mkdir(t, filepath.Dir(filepath.Join(dir, name)))
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if strings.Contains(text, "helm install") {
			c.gone(t) // of the manifest
			c.await(t, "the namespace of the manifest is gone", func() error {
				_, err := c.try(t, "! kubectl get namespace informerd")
				return err
			})
		}
		c.sh(t, "cd "+dir+"\n"+text)
		switch first, _, _ := strings.Cut(text, "\n"); {
		case strings.Contains(text, "helm install"), strings.Contains(text, "kubectl apply"):
			p = n.start(t, "informerd-0")
			p.ready(t)
		case strings.Contains(text, "helm upgrade"):
			p.sync(t)
		case strings.Contains(first, "delete"), strings.Contains(first, "uninstall"):
			if code := p.stop(t); code != 0 {
				t.Errorf("exit code %d", code)
			}
		}
		s.done(strings.TrimSpace(text))
	}
	c.gone(t)
}
