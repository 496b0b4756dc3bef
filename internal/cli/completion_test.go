package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/cli/complete"
	"github.com/informerd/informerd/internal/cli/pipeline"
)

// forCompletion writes configurations into a folder, which becomes the current one.
func forCompletion(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	const good = `apiVersion: informerd.dev/v1alpha1
kind: Config
listeners:
  maps: {informer: {resource: configmaps}, outputs: [out, log]}
  pods: {informer: pods, outputs: [out]}
informers: {pods: {resource: pods}}
outputs: {out: {stdout: {}}, log: {stdout: {}}}
`
	for name, text := range map[string]string{
		"good.yaml": good,
		"more.yml":  strings.NewReplacer("maps:", "others:", "pods: {i", "last: {i").Replace(good),
		"half.yaml": strings.NewReplacer("maps:", "\"a\\eb\":", "pods: {i",
			"pods: {filter: op ==, unknown: 1, i").Replace(good),
		"bad.yaml":    "listeners: {",
		"policy.yaml": "apiVersion: informerd.dev/v1alpha1\nkind: Policy\nname: red\ninformer: {resource: pods}\nrules: [{name: r, deny: object.spec.hostPID}]\n",
		"empty.json":  "",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo("pipe.yaml", 0o600); err != nil {
		t.Fatal(err)
	}
}

// What is completed, without descriptions, and with the directive for the shell at the end.
func TestCompletion(t *testing.T) {
	forCompletion(t)
	const none, ofType, folder, noSpace = ":4", ":8", ":16", ":6"
	for line, want := range map[string]string{
		// Names are those of the configuration on the line.
		"audit -c good.yaml ":                  "maps pods " + none,
		"audit -c good.yaml maps ":             none,
		"status --config=good.yaml ":           "maps pods " + none,
		"top -c more.yml ":                     "last others " + none,
		"explain good.yaml -l ":                "maps pods " + none,
		"explain -c good.yaml --listener ":     "maps pods " + none,
		"explain policy.yaml -l ":              "red " + none,
		"explain -l  good.yaml ":               ":4",
		"dlq ls -c good.yaml --to ":            "log out " + none,
		"dlq replay -l  -c good.yaml --to ":    "log out " + none,
		"plugin run x.wasm -c good.yaml -l ":   "maps pods " + none,
		"audit -c half.yaml ":                  "pods " + none, // and no escape sequences
		"explain half.yaml good.yaml -l ":      "maps pods pods " + none,
		"audit ":                               "yaml yml json " + ofType,
		"audit good.yaml ":                     "maps pods " + none,
		"audit good.yaml maps ":                none,
		"dlq show good.yaml ":                  none, // it keeps no dead letters
		"validate -o ":                         "text json github " + none,
		"audit -c bad.yaml ":                   none,
		"audit -c empty.json ":                 none,
		"audit -c none.yaml ":                  none,
		"audit -c . ":                          none,
		"audit -c pipe.yaml ":                  none, // and does not wait for somebody to write
		"audit -c - ":                          none, // nor for standard input
		"audit -c /dev/stdin ":                 none,
		"dlq show -c good.yaml ":               none, // it keeps no dead letters
		"dlq show -c pipe.yaml ":               none,
		"dlq show ":                            "yaml yml json " + ofType,
		"dlq show -c bad.yaml ":                none,
		"explain --listener x good.yaml --op ": "add update delete resync " + none,

		"run ":                     "yaml yml json " + ofType,
		"run good.yaml ":           none,
		"run -c ":                  "yaml yml json " + ofType,
		"validate ":                "yaml yml json " + ofType,
		"rbac check ":              "yaml yml json " + ofType,
		"reload ":                  "yaml yml json " + ofType,
		"checkpoint show ":         "yaml yml json " + ofType,
		"watch --rules ":           "yaml yml json " + ofType,
		"explain --object ":        "yaml yml json jsonl " + ofType,
		"plugin inspect ":          "wasm " + ofType,
		"plugin bench a.wasm ":     "wasm " + ofType,
		"dlq replay --with ":       "wasm " + ofType,
		"plugin test ":             folder,
		"plugin new --dir ":        folder,
		"init --state-dir ":        folder,
		"init ":                    "yaml yml json " + ofType,
		"run --kubeconfig ":        ":0",
		"run --context ":           none,
		"version ":                 none,
		"schema ":                  "config policy " + none,
		"plugin new --lang ":       "go rust as c " + none,
		"init --about ":            "problems changes " + noSpace,
		"init --about problems,":   "problems,changes " + noSpace,
		"init --about problems,ch": "problems,changes " + noSpace,
		"completion ":              "bash zsh fish powershell " + none,
		"completion bash ":         none,
		"plan --schema ":           "builtin off " + none,
		"plan good.yaml -l ":       "maps pods " + none,
		"dlq":                      "dlq " + none,
		"dlq ":                     "drop ls replay show " + none,
		"status --sort ":           strings.Join(pipeline.Sorts, " ") + " " + none,
		"plugin test --update --w": "--wasm " + none,
		"frobnicate ":              none,
	} {
		args := strings.Split(line, " ")
		var stdout, stderr bytes.Buffer
		Main(append([]string{"__complete"}, args...), &stdout, &stderr)
		var got []string
		for line := range strings.Lines(stdout.String()) {
			word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			got = append(got, word)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q\n got %s\nwant %s", line, strings.Join(got, " "), want)
		}
	}
}

// every calls visit for each command that can be run.
func every(cmd *cobra.Command, visit func(path string, cmd *cobra.Command)) {
	for _, below := range cmd.Commands() {
		if below.Name() == "help" {
			continue
		}
		_, path, _ := strings.Cut(below.CommandPath(), " ")
		visit(path, below)
		every(below, visit)
	}
}

// The words that are completed for a flag are those that the command takes, which its usage lists.
func TestCompletedWords(t *testing.T) {
	root := newRoot(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
	words := complete.Known(pipeline.Sorts)
	for name := range words.Flags {
		path, flag, ok := strings.Cut(name, " --")
		if !ok {
			path, flag = "", name
		}
		found := false
		every(root, func(at string, cmd *cobra.Command) {
			f := cmd.Flags().Lookup(flag)
			if f == nil || path != "" && path != at || path == "" &&
				(words.Flags[at+" --"+flag] != nil || at == "migrate" && flag == "output") {
				return
			}
			found = true
			for _, word := range words.Flags[name] {
				if !regexp.MustCompile(`\b` + regexp.QuoteMeta(word) + `\b`).MatchString(f.Usage) {
					t.Errorf("%s --%s: %q is not in its usage: %s", at, flag, word, f.Usage)
				}
			}
		})
		if !found {
			t.Errorf("no command has the flag of %q", name)
		}
	}
}

// Dead letters of a running informerd are completed, but for those on the line already.
func TestCompletedLetters(t *testing.T) {
	d := newDeadDaemon(t)
	offered := func(args ...string) []string {
		var stdout, stderr bytes.Buffer
		Main(append([]string{"__complete", "dlq", "show", "-c", d.config}, args...), &stdout,
			&stderr)
		return strings.Fields(stdout.String())
	}
	if got := offered(""); !slices.Equal(got, []string{":4"}) {
		t.Errorf("nothing runs: got %q", got)
	}
	d.fill()
	if got := offered(""); !slices.Equal(got, []string{":4"}) {
		t.Errorf("nothing runs, and there are letters: got %q", got)
	}
	defer d.run()()
	described := []string{d.ids[0], "pods:", "refused", d.ids[1], "pods:", "handler-failed",
		d.ids[2], "pods:", "refused", ":4"}
	if got := offered(""); !slices.Equal(got, described) {
		t.Errorf("got %q", got)
	}
	if got := offered(d.ids[0], ""); !slices.Equal(got, described[3:]) {
		t.Errorf("with %s there already: %q", d.ids[0], got)
	}
}

// In real shells, the script completes names of the configuration and files.
func TestShells(t *testing.T) {
	folder := filepath.Dir(program(t))
	forCompletion(t)
	for _, shell := range []struct {
		name, script string // it completes $line
	}{
		{"bash", `
_get_comp_words_by_ref() {
  words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}; prev=${words[cword-1]}
}
compopt() { :; }
_filedir() { COMPREPLY=($(compgen -f -- "$cur" | grep -E '\.(yaml|yml|json)$')); }
source $script
IFS=' ' read -ra COMP_WORDS <<<"$line."
COMP_WORDS[-1]=${COMP_WORDS[-1]%.}
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$line COMP_POINT=${#line} COMP_TYPE=9
__start_informerd
printf '%s\n' "${COMPREPLY[@]%% *}"`},
		{"zsh", `
compdef() { :; }
_describe() { print -l -- ${(M)${(@)completions%%:*}:#${words[-1]}*}; }
_arguments() { print -l -- *.(yaml|yml|json); }
source $script
words=(${(s: :)line}); [[ $line == *" " ]] && words+=("")
CURRENT=$#words
_informerd`},
		{"fish", "source $script; complete -C \"$line\" | string replace -r '\\t.*' ''; true"},
	} {
		t.Run(shell.name, func(t *testing.T) {
			path, err := exec.LookPath(shell.name)
			if err != nil {
				t.Skipf("%s is not installed: apt-get install %s", shell.name, shell.name)
			}
			var script bytes.Buffer
			if code := Main([]string{"completion", shell.name}, &script, &script); code != exitOK {
				t.Fatal(script.String())
			}
			file := filepath.Join(folder, shell.name)
			if err := os.WriteFile(file, script.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			for line, want := range map[string]string{
				"informerd audit -c good.yaml ":            "maps pods",
				"informerd explain good.yaml --listener ":  "maps pods",
				"informerd checkpoint s":                   "show",
				"informerd run --log-format ":              "json text",
				"informerd audit -c bad.yaml ":             "",
				"informerd explain --config more.yml -l o": "others",
				"informerd validate ":                      "bad.yaml empty.json good.yaml half.yaml more.yml pipe.yaml policy.yaml",
			} {
				cmd := exec.Command(path, "-c", shell.script)
				cmd.Env = append(os.Environ(), "line="+line, "script="+file, "HOME="+t.TempDir(),
					"PATH="+folder+":"+os.Getenv("PATH"))
				out, err := cmd.CombinedOutput()
				got := strings.Fields(string(out))
				slices.Sort(got)
				if err != nil || strings.Join(got, " ") != want {
					t.Errorf("%q: %v\n got %s\nwant %s", line, err, out, want)
				}
			}
		})
	}
	var out, errs bytes.Buffer
	if code := Main([]string{"completion", "powershell"}, &out, &errs); code != exitOK ||
		!strings.Contains(out.String(), "Register-ArgumentCompleter -CommandName 'informerd'") {
		t.Errorf("powershell: exit code %d\n%s", code, out.String())
	}
	for _, args := range []string{"", " ksh", " bash zsh"} {
		errs.Reset()
		want := "informerd: informerd completion takes a shell: bash, zsh, fish or powershell\n" +
			fmt.Sprintf(seeUsage, "completion")
		if code := Main(strings.Fields("completion"+args), &out, &errs); code != exitUsage ||
			errs.String() != want {
			t.Errorf("completion%s: exit code %d\n%s", args, code, errs.String())
		}
	}
}
