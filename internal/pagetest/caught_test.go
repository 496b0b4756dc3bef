package pagetest

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/pages"
)

func TestBlocksThatAreCaught(t *testing.T) {
	const config = "apiVersion: informerd.dev/v1alpha1\nkind: Config\nlisteners:\n" +
		"  a: {informer: {resource: pods}, filter: FILTER, outputs: [out]}\noutputs: {out: {stdout: {}}}\n"
	good := strings.Replace(config, "FILTER", "initial", 1)
	for _, c := range []struct{ language, text, want string }{
		{"", "anything\n", "nothing runs this block"},
		{"json", "{}\n", "nothing runs this block"},
		{"yaml", good, ""},
		{"yaml wrong", good, "it should be refused"},
		{"yaml warned", good, "there should be warnings"},
		{"yaml wrogn", good, `unknown word "wrogn"`},
		{"yaml", strings.Replace(config, "FILTER", "object.spec.nodeNam == nil", 1), "did you mean nodeName?"},
		{"yaml wrong", strings.Replace(config, "FILTER", "object.spec.nodeNam == nil", 1), ""},
		{"yaml", "listeners:\n  a: {informer: {resource: pods}, outputs: [hook]}\n", ""},
		{"yaml", "listeners:\n  a: {informer: {resource: pods}, outputs: []}\n", "refuses it"},
		{"yaml", "outputs:\n  hook: {webhook: {url: {fromEnv: NEW_URL}}}\n", ""},
		{"yaml", "outputs:\n  hook: {webhok: {}}\n", `did you mean "webhook"?`},
		{"yaml", "a: b\n", "no command of the page reads the file"},
		{"yaml", "a: [\n", "yaml"},
		{"yaml", "\n", "no command of the page reads the file"},
		{"yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {hostNetwrk: true}\n", "hostNetwrk"},
		{"yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", ""},
		{"yaml", "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\n",
			"no command of the page reads the file"},
		{"yaml from=LICENSE", "a: b\n", "LICENSE does not have this text"},
		{"go from=go.mod", "module github.com/informerd/informerd\n", ""},
		{"console", "informerd version\n", `no line of it begins with "$ "`},
		{"console", "$ informerd validate gone.yaml\nit is fine\n", "and not, as the page says"},
		{"console", "$ informerd validate gone.yaml\n", "exit status 3"},
		{"console", "$ printf 'a\\nb\\nc\\n'\na\n…\nc\n", ""},
		{"sh", "informerd run --confg x\n", "unknown flag: --confg"},
		{"sh", "informerd rn x\n", "there is no command rn"},
		{"sh", "informerd dlq lst\n", "there is no command lst"},
		{"sh", "kubectl get pods -o yaml | informerd explain a --config c.yaml -f -   # it's fine\n", ""},
		{"sh", "make everything\n", "the Makefile has no target everything"},
		{"sh", "make build examples\n", ""},
		{"sh", "wget x\n", "unknown program wget"},
		{"sh", "if true; then\n", "exit status 2"},
		{"sh", "# nothing\n", "there is no command in it"},
		{"expr", "object.a ==\n", "object.a =="},
		{"expr data", "{\"a\": object.b}\n", ""},
		{"expr dta", "1\n", `unknown kind of expression "dta"`},
		{"diagram", "a -> b\n", ""},
	} {
		p, err := pages.Parse("a.md", "```"+c.language+"\n"+c.text+"```\n")
		if err != nil {
			t.Fatal(err)
		}
		r := newReader(t, p)
		for _, b := range p.Blocks {
			r.block(b)
		}
		got := strings.Join(r.problems, "\n")
		if c.want == "" && got != "" || c.want != "" && (!strings.HasPrefix(got, "a.md:1: ") ||
			!strings.Contains(got, c.want)) {
			t.Errorf("%s\n%s\ngot  %q\nwant %q", c.language, c.text, got, c.want)
		}
	}
}
