package pagetest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/cli"
	"github.com/informerd/informerd/internal/pages"
	"github.com/informerd/informerd/pkg/filters"
)

var logTime = regexp.MustCompile(`(?m)^time=\S+ `)

// console runs the commands of a block, and compares what they print with what the page shows.
func (r *reader) console(b pages.Block) {
	r.t.Helper()
	commands := b.Commands()
	if len(commands) == 0 {
		r.errorf(b, `no line of it begins with "$ "`)
	}
	var text strings.Builder
	differs := false
	for i := 0; i < len(commands); i++ {
		// A command without output belongs to the next one, as in a pasted block.
		shell := commands[i].Text
		fmt.Fprintf(&text, "$ %s\n", strings.ReplaceAll(shell, "\n", "\n> "))
		printed, err := r.run(shell)
		shown := commands[i].Shown
		last := i == len(commands)-1 || shown != ""
		if err != nil && shown == "" {
			r.errorf(b, "%s: %v\n%s", shell, err, printed)
		}
		if last && !pages.Shows(shown, printed) {
			differs = true
			if !*update {
				r.errorf(b, "$ %s\nprints\n%s\nand not, as the page says (make docs writes it)\n%s",
					shell, printed, shown)
			}
			shown = printed
		}
		text.WriteString(shown)
	}
	if differs {
		r.outputs[b.Line] = text.String()
	}
}

// run runs a command in the folder of the page, without a cluster.
func (r *reader) run(command string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	programs := filepath.Join(r.t.TempDir(), "programs")
	if err := os.MkdirAll(programs, 0o700); err != nil {
		r.t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\n%s=1 exec '%s' \"$@\"\n", asInformerd, self)
	if err := os.WriteFile(filepath.Join(programs, "informerd"), []byte(script),
		0o700); err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute) // one that waits for something
	defer cancel()
	sh := exec.CommandContext(ctx, "sh", "-ec", command)
	sh.Dir, sh.WaitDelay = r.dir, time.Second
	sh.Env = append(os.Environ(), "KUBECONFIG="+filepath.Join(r.dir, "no-cluster"),
		"HOME="+r.dir, "PATH="+programs+":"+os.Getenv("PATH"), "GOFLAGS=", "GOWORK=off")
	out, err := sh.CombinedOutput()
	return strings.TrimRight(logTime.ReplaceAllString(string(out), ""), "\n") + "\n", err
}

// write writes the page again, with what its commands print.
func (r *reader) write() {
	r.t.Helper()
	if !*update || len(r.outputs) == 0 {
		return
	}
	lines := strings.Split(r.page.Text, "\n")
	for _, b := range slices.Backward(r.page.Blocks) {
		if text, ok := r.outputs[b.Line]; ok {
			lines = slices.Replace(lines, b.Line, b.Line+strings.Count(b.Text, "\n"),
				strings.Split(strings.TrimSuffix(text, "\n"), "\n")...)
		}
	}
	path := filepath.Join(root, filepath.FromSlash(r.page.Path))
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// programs are those that blocks of commands may use.
var programs = strings.Fields("awk cat cd cp curl docker buildah podman echo export git go grep " +
	"head helm jq kind kubectl kustomize ls minikube mkdir mv npm promtool rm sed sha256sum source " +
	"sort tail tar tee test")

var (
	separator  = regexp.MustCompile(`\|\||&&|[|;&\n]`)
	assignment = regexp.MustCompile(`^[A-Z_]+=\S*$`)
	comment    = regexp.MustCompile(`(?m)(^|\s)#.*$`)
	quoted     = regexp.MustCompile(`"[^"]*"|'[^']*'`)
	heredoc    = regexp.MustCompile(`(?ms)<<-?\s*'?(\w+)'?(.*?)\n^(\w+)$`)
)

// shell checks the commands of a block: their syntax, and those that are informerd's or make's.
func (r *reader) shell(b pages.Block) {
	r.t.Helper()
	syntax := exec.CommandContext(r.t.Context(), "sh", "-n", "-c", b.Text)
	if said, err := syntax.CombinedOutput(); err != nil {
		r.errorf(b, "%v: %s", err, said)
	}
	text := quoted.ReplaceAllString(heredoc.ReplaceAllString(b.Text, "$2"), "quoted")
	text = strings.ReplaceAll(comment.ReplaceAllString(text, ""), "\\\n", " ")
	found := 0
	for _, command := range separator.Split(text, -1) {
		words := strings.Fields(command)
		for len(words) > 0 && (assignment.MatchString(words[0]) || words[0] == "sudo") {
			words = words[1:]
		}
		if len(words) == 0 {
			continue
		}
		found++
		if i := slices.IndexFunc(words, func(w string) bool {
			return strings.ContainsAny(w, "<>")
		}); i > 0 {
			words = words[:i]
		}
		name := filepath.Base(words[0])
		switch {
		case name == "informerd":
			if err := parses(words[1:]); err != nil {
				r.errorf(b, "%s: %v", strings.Join(words, " "), err)
			}
		case name == "make" && !strings.Contains(b.Text, "cd "):
			for _, target := range words[1:] {
				if !strings.Contains(target, "=") && !hasTarget(r.t, target) {
					r.errorf(b, "the Makefile has no target %s", target)
				}
			}
		case !slices.Contains(programs, name) && name != "make":
			r.errorf(b, "unknown program %s: a block of commands may use %v", name, programs)
		}
	}
	if found == 0 {
		r.errorf(b, "there is no command in it")
	}
}

// parses reports whether informerd has a command and its flags.
func parses(args []string) error {
	var out bytes.Buffer
	if code := cli.Main(append(slices.Clone(args), "--help"), &out, &out); code != 0 {
		return fmt.Errorf("%s", strings.TrimSpace(out.String()))
	}
	_, list, more := strings.Cut(out.String(), "Available Commands:\n")
	if !more {
		return nil
	}
	// The help is that of a command with commands, so the next word is none of them.
	words := slices.DeleteFunc(slices.Clone(args), func(a string) bool {
		return strings.HasPrefix(a, "-")
	})
	for line := range strings.Lines(out.String()) {
		path := strings.Fields(line)
		n := len(path) - 2
		if n >= 0 && path[0] == "informerd" && path[n+1] == "[command]" && len(words) > n &&
			!takesArgument(out.String(), strings.Join(path[:n+1], " ")) {
			return fmt.Errorf("there is no command %s; there are\n%s", words[n], list)
		}
	}
	return nil
}

// takesArgument reports whether a command with commands can be called with an argument of its own,
// as informerd rbac FILE.
func takesArgument(help, command string) bool {
	return regexp.MustCompile(`(?m)^ *` + command + ` \[?[A-Z]{2}`).MatchString(help)
}

var makefile string

func hasTarget(t *testing.T, name string) bool {
	t.Helper()
	if makefile == "" {
		text, err := os.ReadFile(filepath.Join(root, "Makefile"))
		if err != nil {
			t.Fatal(err)
		}
		makefile = string(text)
	}
	return strings.Contains(makefile, "\n"+name+":")
}

// expressions compiles each line of a block.
func (r *reader) expressions(b pages.Block) {
	r.t.Helper()
	kinds := map[string]filters.Kind{"filter": filters.KindFilter, "select": filters.KindSelect,
		"deny": filters.KindDeny, "message": filters.KindMessage, "when": filters.KindWhen,
		"data": filters.KindData, "text": filters.KindText}
	kind := filters.KindFilter
	for _, w := range b.Words {
		k, ok := kinds[w]
		if !ok {
			r.errorf(b, "unknown kind of expression %q", w)
		}
		kind = k
	}
	for line := range strings.Lines(b.Text) {
		text := strings.TrimSpace(line)
		if strings.Contains(text, "=>") {
			r.errorf(b, "values of expressions are compared in docs/expressions.md alone: %s", text)
		}
		if text == "" || strings.HasPrefix(text, "//") {
			continue
		}
		if _, err := filters.Compile(filters.Expression{Text: text, Kind: kind,
			Informers: map[string][]string{"nodes": nil, "namespaces": nil}}); err != nil {
			r.errorf(b, "%s: %v", text, err)
		}
	}
}
