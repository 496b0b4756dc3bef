package config

import (
	"fmt"
	"strings"
	"testing"
)

// Each test changes the policy p/a.yaml in one place and names the mistakes it must have, without
// "p/a.yaml:".
// What is in a file that does not say what it is may be anybody's, and is quoted nowhere.
const noPolicy = " it is no policy: it has no apiVersion: informerd.dev/v1alpha1"

func TestPolicyMistakes(t *testing.T) {
	const rules = "rules:\n  - name: r\n    deny: \"true\"\n"
	const members = "apiVersion, kind, name, description, informer, informers, select, resync, rules"
	manyPods := ""
	for i := range 1000 {
		manyPods += fmt.Sprintf("\n  p%d: *p", i)
	}
	for _, m := range []mistake{
		{"no rules", rules, "", "1:1: rules is missing"},
		{"misspelt rules say it once", "rules:", "rule:",
			`4:1: unknown field "rule"; did you mean "rules"?`},
		{"no rule", rules, "rules: []\n", "4:8: rules must have at least one rule"},
		{"no deny", "    deny: \"true\"\n", "",
			"5:5: rules[0] has no deny"},
		{"rules of one name", rules, "rules: [{name: r, deny: x}, {name: r, deny: y}]\n",
			`4:36: rules[1].name repeats the name "r"`},
		{"wrong values", rules,
			"rules: [{name: r, deny: x, severity: critcal, for: -1s, repeat: 31d}]\nresync: 5ms\n",
			`4:38: rules[0].severity must be info, low, medium, high or critical, is "critcal"; did you mean "critical"?` + "\n" +
				"4:52: rules[0].for must not be negative, is -1s\n" +
				`4:65: rules[0].repeat must be 0 (never) or 1s to 30d, is 744h` + "\n" +
				"5:9: resync must be 0 (never) or at least 1s, is 5ms"},
		{"empty values", rules, rules + "select: ' '\ndescription: ''\nname:\n",
			"7:9: select is empty\n" +
				"8:14: description is empty\n" +
				"9:6: name has no value"},
		{"what only listeners have", rules,
			rules + "handler: {wasm: x}\nfilter: x\non: [add]\nbuffer: {}\nworkers: 2\noutputs: [out]\nretry: {}\n",
			`7:1: unknown field "handler"; its fields are apiVersion, kind, name, description, informer, informers, select, resync, rules` + "\n" +
				`8:1: unknown field "filter"; a policy has select, an expression about the object` + "\n" +
				`9:1: unknown field "on"; its fields are apiVersion, kind, name, description, informer, informers, select, resync, rules` + "\n" +
				`10:1: unknown field "buffer"; its fields are apiVersion, kind, name, description, informer, informers, select, resync, rules` + "\n" +
				`11:1: unknown field "workers"; its fields are apiVersion, kind, name, description, informer, informers, select, resync, rules` + "\n" +
				`12:1: unknown field "outputs"; outputs belong to the entry of policies that names the file` + "\n" +
				`13:1: unknown field "retry"; its fields are apiVersion, kind, name, description, informer, informers, select, resync, rules`},
		{"what only configurations have", rules, rules + "listeners: {}\n",
			`7:1: unknown field "listeners"; its fields are ` + members},
		{"name", rules, rules + "name: No latest\n",
			`7:7: name must be ` + labelNoun + `, is "No latest"`},
		{"name of a listener", rules, rules + "name: own\n",
			`7:7: name: "own" is the name of a listener in x.yaml already`},
		{"no informer", "informer: pods\n", "",
			"1:1: informer is missing"},
		{"unknown informer", "informer: pods",
			"informer: podds\ninformers: {ports: {resource: services}}",
			`3:11: informer: unknown informer "podds"; did you mean "pods"?`},
		{"unknown informer, nothing near", "informer: pods",
			"informer: zzz\ninformers: {ports: {resource: services}}",
			`3:11: informer: unknown informer "zzz"; the informers are nodes, pods, ports`},
		{"the name of an informer in braces", "informer: pods",
			"informer: {name: ports}\ninformers: {ports: {resource: services}}",
			`3:12: unknown field "name" in informer; one object is chosen by fieldSelector: metadata.name=NAME`},
		{"informers", "informer: pods",
			"informer: pods\ninformers: {A: {resource: pods}, b: {resource: secrets}, c: ~}",
			`4:13: informers.A: the name "A" is not ` + labelNoun + "\n" +
				"4:48: informers.b.resource: secrets are not watched without allowSecrets: true\n" +
				"4:61: informers.c has no value"},
		{"indexes of a cache shared with the configuration", "informer: pods",
			"informer: {resource: pods, indexes: {node: spec.node}}",
			`3:44: informer.indexes.node is "spec.node", but informers.pods of x.yaml watches the same objects and has an index of this name on "spec.nodeName"`},
		{"indexes of a shared cache", "informer: pods",
			"informer: {resource: jobs, indexes: {n: a}}\ninformers: {j: {resource: jobs, indexes: {n: b}}}",
			`3:41: informer.indexes.n is "a", but informers.j watches the same objects and has an index of this name on "b"`},
		{"a Deployment", policyText,
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec: {}\n",
			`1:13: apiVersion must be informerd.dev/v1alpha1, is "apps/v1"` + "\n" +
				`2:7: kind must be Policy, is "Deployment"`},
		{"a configuration", policyText, withPolicies,
			`2:7: kind must be Policy, is "Config"`},
		{"no header", "apiVersion: informerd.dev/v1alpha1\nkind: Policy\n", "",
			"1:1: apiVersion is missing\n" +
				"1:1: kind is missing"},
		{"empty", policyText, "",
			" the policy is empty"},
		{"a list", policyText, "- a\n", noPolicy},
		{"a key that is none", rules, rules + "[a]: b\n5: c\n",
			"7:1: a key in the policy is not a name\n" +
				`8:1: the key "5" in the policy is not a string, and needs quotes`},
		{"two documents", rules, rules + "---\nkind: Policy\n",
			"7:1: a second document begins here, and a policy is one document"},
		{"binary", policyText, "\x7fELF\x02\x01",
			noPolicy},
		{"a file of the machine", policyText, "root:*:20228:0:99999:7::\nme:$y$secret:1::\n", noPolicy},
		{"a list of words", policyText, "hunter2: {a: b}\nhunter3: c\n", noPolicy},
		{"not UTF-8", policyText, "\xff\xfea\x00",
			noPolicy},
		{"too large", policyText, strings.Repeat("# 2 MiB\n", 2<<20/8),
			" the policy is larger than 1048576 bytes"},
		{"alias in itself", "informer: pods", "informer: &a {indexes: *a}",
			"3:1: informer has no resource\n" +
				"3:11: informer.indexes.indexes must be a string, is a mapping"},
		{"alias bomb", "informer: pods", "informer: &p {resource: pods, namespaces: [" +
			strings.Repeat("n, ", 1000) + "]}\ninformers:" + manyPods,
			"3:1232: the policy has more than 200000 values"},
		{"deep", "informer: pods", "informer: " + strings.Repeat("[", 20_000),
			"3:1: not YAML: exceeded max depth of 10000\n" +
				"  informer: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[…\n" +
				"  ^"},
	} {
		t.Run(m.name, func(t *testing.T) {
			text := strings.Replace(policyText, m.old, m.new, 1)
			if text == policyText {
				t.Fatalf("%q is not in the policy", m.old)
			}
			_, err := parse("x.yaml", []byte(withPolicies), folder{"p/a.yaml": text})
			if err == nil {
				t.Fatalf("no error, want %s", m.want)
			}
			if got := strings.ReplaceAll(err.Error(), "p/a.yaml:", ""); got != m.want {
				t.Errorf("got:\n%.2000s\nwant:\n%s", got, m.want)
			}
			checkSchemaRejects(t, policy, text)
		})
	}
}

func TestNamesOfPolicies(t *testing.T) {
	named := func(name string) string { return policyText + "name: " + name + "\n" }
	for name, test := range map[string]struct {
		files folder
		want  string
	}{
		"of a listener": {folder{"p/own.yaml": policyText},
			`p/own.yaml: the policy has no name, and that of its file, "own", is the name of a listener in x.yaml already`},
		"of another policy": {
			folder{"p/a.yaml": policyText, "p/b.yaml": named("a"), "p/c.yaml": named("a")},
			`p/b.yaml:7:7: name: "a" is the name of the policy in p/a.yaml already` + "\n" +
				`p/c.yaml:7:7: name: "a" is the name of the policy in p/a.yaml already` + "\n" +
				"x.yaml: not loaded because of that: p/a.yaml"},
		"of another policy's file": {folder{"p/a.yaml": named("b"), "p/b.yaml": policyText},
			`p/b.yaml: the policy has no name, and that of its file, "b", is the name of the policy in p/a.yaml already` + "\n" +
				"x.yaml: not loaded because of that: p/a.yaml"},
		"of one with mistakes": {
			folder{"p/a.yaml": policyText + "x: 1\n", "p/b.yaml": named("c") + "select: ''\n",
				"p/c.yaml": policyText},
			`p/a.yaml:7:1: unknown field "x"; its fields are apiVersion, kind, name, description, informer, informers, select, resync, rules` + "\n" +
				"p/b.yaml:8:9: select is empty\n" +
				`p/c.yaml: the policy has no name, and that of its file, "c", is the name of the policy in p/b.yaml already`},
		"file with a strange name": {folder{"p/My policy.v2.yaml": policyText},
			`p/My policy.v2.yaml: the policy has no name, and that of its file, "My policy.v2", is not a DNS label of a-z, 0-9 and "-"`},
		"file with a name that breaks lines": {folder{"p/a\n\x1b[31mb.yaml": policyText},
			`"p/a\n\x1b[31mb.yaml": the policy has no name, and that of its file, "a\n\x1b[31mb", is not a DNS label of a-z, 0-9 and "-"`},
		"file with a name that is not text": {
			folder{"p/\xff.yaml": policyText, "p/\xfe.yaml": named("fe")},
			`"p/\xff.yaml": the policy has no name, and that of its file, "\xff", is not a DNS label of a-z, 0-9 and "-"` + "\n" +
				`x.yaml: not loaded because of that: "p/\xfe.yaml"`},
		"file without a name": {folder{"p/.yaml": policyText},
			`p/.yaml: the policy has no name, and that of its file, "", is not a DNS label of a-z, 0-9 and "-"`},
		"misspelt name says it once": {
			folder{"p/A.yaml": policyText + "nam: a\n"},
			`p/A.yaml:7:1: unknown field "nam"; did you mean "name"?`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse("x.yaml", []byte(withPolicies), test.files)
			if err == nil || err.Error() != test.want {
				t.Errorf("got:\n%v\nwant:\n%s", err, test.want)
			}
		})
	}
	// Any file will do if the policy has a name.
	if _, err := parse("x.yaml", []byte(withPolicies),
		folder{"p/My policy.v2.yaml": named("a")}); err != nil {
		t.Error(err)
	}
}

// Each test replaces the entry of policies.
func TestPoliciesMistakes(t *testing.T) {
	const entry = "  - files: p/*.yaml\n    outputs: [out]\n"
	for _, m := range []mistake{
		{"no entry", "\n" + entry, " []\n",
			"10:11: policies must have at least one entry"},
		{"an entry without value", entry, "  -\n",
			"11:4: policies[0] has no value"},
		{"empty", entry, "  - {}\n",
			"11:5: policies[0] has no files\n" +
				"11:5: policies[0] has no outputs"},
		{"misspelt files say it once", entry, "  - {file: p/*.yaml, outputs: [out]}\n",
			`11:6: unknown field "file" in policies[0]; did you mean "files"?`},
		{"outputs", "outputs: [out]\noutputs", "outputs: [oter, out, out]\noutputs",
			`12:15: policies[0].outputs[0]: unknown output "oter"; did you mean "other"?` + "\n" +
				`12:26: policies[0].outputs[2] repeats the output "out"`},
		{"no output", "outputs: [out]\noutputs", "outputs: []\noutputs",
			"12:14: policies[0].outputs must have at least one output"},
		{"home", "p/*.yaml", "~/p/*.yaml",
			`11:12: policies[0].files must not begin with ~, which is not expanded, is "~/p/*.yaml"`},
		{"no path", "p/*.yaml", "' '",
			`11:12: policies[0].files must be the path of policy files, as in policies/*.yaml, is " "`},
		{"no pattern", "p/*.yaml", "'p/[.yaml'",
			`11:12: policies[0].files is not a pattern: "p/[.yaml"`},
		{"folders in folders", "p/*.yaml", "'p/**/*.yaml'",
			`11:12: policies[0].files: ** for folders in folders is not supported: "p/**/*.yaml"`},
		{"no match", "p/*.yaml", "q/*.yaml",
			`11:12: policies[0].files matches no file: "q/*.yaml"`},
		{"no match anywhere", "p/*.yaml", "/q/*.yaml",
			`11:12: policies[0].files matches no file: "/q/*.yaml"`},
		{"one file twice", entry, entry + "  - {files: 'p/[a-z].yaml', outputs: [other]}\n",
			"13:13: policies[1].files matches p/a.yaml, as policies[0].files does"},
		{"listeners that are none", "listeners:", "listeners: []\nlisteners:",
			"6:12: listeners must be a mapping, is a list\n" +
				"7:1: listeners is defined twice, first on line 6"},
	} {
		t.Run(m.name, func(t *testing.T) {
			text := strings.Replace(withPolicies, m.old, m.new, 1)
			if text == withPolicies {
				t.Fatalf("%q is not in the base", m.old)
			}
			_, err := parse("x.yaml", []byte(text), folder{"p/a.yaml": policyText})
			if err == nil {
				t.Fatalf("no error, want %s", m.want)
			}
			if got := strings.ReplaceAll(err.Error(), "x.yaml:", ""); got != m.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, m.want)
			}
			checkSchemaRejects(t, configuration, text)
		})
	}
	none := strings.Replace(withPolicies, "  own:\n    informer: pods\n    outputs: [out]\n", "", 1)
	if _, err := parse("x.yaml",
		[]byte(strings.Replace(none, "listeners:\n", "listeners: {}\n", 1)),
		folder{"p/a.yaml": policyText}); err != nil {
		t.Errorf("without a listener: %v", err)
	}
}

func FuzzParsePolicy(f *testing.F) {
	f.Add("a.yaml", policyText)
	f.Add("b.yaml", slicesPolicy)
	f.Add("own.yaml", policyText)
	f.Add("c", "kind: Policy\nrules: &a [*a]\ninformers: {pods: ~}\ninformer: pods\n")
	f.Add("d.json", `{"apiVersion":"informerd.dev/v1alpha1","kind":"Policy","informer":"nodes","rules":[{"name":"r","deny":"x","for":"1h"}]}`)
	f.Fuzz(func(t *testing.T, file, text string) {
		files := folder{"p/" + strings.ReplaceAll(file, "/", ""): text, "p/good.yaml": policyText}
		c, err := parse("x.yaml", []byte(strings.Replace(withPolicies, "p/*.yaml", "p/*", 1)),
			files)
		checkResult(t, c, err)
	})
}
