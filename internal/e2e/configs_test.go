package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Every ready configuration is valid, finds all its resources and stops in order. quickstart.yaml
// and policies.yaml also have stories of their own.
func TestConfigs(t *testing.T) {
	needs(t)
	files, err := filepath.Glob(filepath.Join(root(), "configs", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no configurations: %v", err)
	}
	c, err := sharedCluster()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			file := aside(t, file)
			// The command runs in a folder other than the file's, so paths must be relative to the
			// file.
			validate := exec.Command(informerdBin(), "validate", "--config", file)
			validate.Dir = t.TempDir()
			said, err := validate.CombinedOutput()
			valid := regexp.MustCompile(
				` is valid: ([0-9]+) listeners?, [0-9]+ outputs?\n$`).FindStringSubmatch(
				string(said))
			if err != nil || valid == nil {
				t.Fatalf("informerd validate: %v\n%s", err, said)
			}
			listensAndStops(t, c, file, valid[1])
		})
	}
}

// secrets are the environment variables that each configuration names.
var secrets = map[string][]string{
	"kafka.yaml":          {"KAFKA_PASSWORD=sesame"},
	"slack.yaml":          {"SLACK_URL=https://hooks.slack.com/services/T0/B0/x"},
	"signed-webhook.yaml": {"WEBHOOK_KEY=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
}

// aside copies the configuration into a folder of its own, from which its paths lead to the same
// files. There it has its own state: one informerd alone may use a folder for state.
func aside(t *testing.T, file string) string {
	t.Helper()
	dir := t.TempDir()
	configs := filepath.Join(dir, "configs")
	if err := os.Mkdir(configs, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"bin", "configs/policies"} {
		if err := os.Symlink(filepath.Join(root(), folder),
			filepath.Join(dir, folder)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(configs, filepath.Base(file))
	if err := os.WriteFile(copied, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return copied
}

func listensAndStops(t *testing.T, c *cluster, file, listeners string) {
	t.Helper()
	run := exec.Command(informerdBin(), "run", "--config", file, "--kubeconfig", c.kubeconfig())
	run.Dir = t.TempDir()
	run.Env = append(run.Environ(), secrets[filepath.Base(file)]...)
	logs, err := run.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	tooLong := time.AfterFunc(patience, func() { _ = run.Process.Kill() })
	defer tooLong.Stop()

	settled := map[string]bool{}
	var all strings.Builder
	// Few clusters have cert-manager: the listener for its certificates logs that it waits for
	// them.
	name := regexp.MustCompile(
		` msg=listening listener=(\S+) | listener=(certificate-expiring) error="no resource \\"certificates\.v1\.cert-manager\.io\\" `)
	for lines := bufio.NewScanner(logs); lines.Scan(); {
		all.WriteString(lines.Text() + "\n")
		if match := name.FindStringSubmatch(lines.Text()); match != nil &&
			!settled[match[1]+match[2]] {
			settled[match[1]+match[2]] = true
			if strconv.Itoa(len(settled)) == listeners {
				_ = run.Process.Signal(syscall.SIGTERM)
			}
		}
	}
	if err := run.Wait(); err != nil {
		t.Fatalf("informerd run: %v; %d of %s listeners were listening\n%s", err, len(settled),
			listeners, &all)
	}
}
