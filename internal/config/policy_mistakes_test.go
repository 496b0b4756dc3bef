package config

import (
	"fmt"
	"strings"
	"testing"
)

// Each test changes the policy p/a.yaml in one place and names the mistakes it must have, without
// "p/a.yaml:".
func TestPolicyMistakes(t *testing.T) {
	const rules = "rules:\n  - name: r\n    deny: \"true\"\n"
	const members = "apiVersion, kind, name, description, informer, informers, select, resync, rules"
	const label = `; use at most 63 lower-case letters, digits and "-", with a letter or digit at both ends`
	const cannot = "; a listener can have it, a policy cannot"
	manyPods := ""
	for i := range 1000 {
		manyPods += fmt.Sprintf("\n  p%d: *p", i)
	}
	for _, m := range []mistake{
		{"no rules", rules, "", "1:1: rules is missing; add rules with at least one rule"},
		{"misspelt rules say it once", "rules:", "rule:",
			`4:1: unknown field "rule"; did you mean "rules"?`},
		{"no rule", rules, "rules: []\n", "4:8: rules must have at least one rule"},
		{"no deny", "    deny: \"true\"\n", "",
			"5:5: rules[0] has no deny; add deny, an expression that is true for a violation"},
		{"rules of one name", rules, "rules: [{name: r, deny: x}, {name: r, deny: y}]\n",
			`4:36: rules[1].name repeats the name "r"; choose another name`},
		{"wrong values", rules,
			"rules: [{name: r, deny: x, severity: critcal, for: -1s, repeat: 31d}]\nresync: 5ms\n",
			`4:38: rules[0].severity must be info, low, medium, high or critical, is "critcal"; did you mean "critical"?` + "\n" +
				"4:52: rules[0].for must not be negative, is -1s\n" +
				`4:65: rules[0].repeat must be 0 (never) or 1s to 30d, is 744h` + "\n" +
				"5:9: resync must be 0 (never) or at least 1s, is 5ms"},
		{"empty values", rules, rules + "select: ' '\ndescription: ''\nname:\n",
			"7:9: select is empty; remove it to select all objects\n8:14: description is empty; write a value or remove it\n" +
				"9:6: name has no value; write a value or remove it"},
		{"what only listeners have", rules,
			rules + "handler: {wasm: x}\nfilter: x\non: [add]\nbuffer: {}\nworkers: 2\noutputs: [out]\nretry: {}\n",
			`7:1: unknown field "handler"` + cannot + "\n" + `8:1: unknown field "filter"` +
				cannot + ": write select, an expression about the object alone, for what the rules look at\n" + `9:1: unknown field "on"` + cannot + "\n" +
				`10:1: unknown field "buffer"` + cannot + "\n" + `11:1: unknown field "workers"` +
				cannot + "\n" +
				`12:1: unknown field "outputs"; a listener can have it; those of a policy are in the entry of policies that names its file` + "\n" +
				`13:1: unknown field "retry"` + cannot},
		{"what only configurations have", rules, rules + "listeners: {}\n",
			`7:1: unknown field "listeners"; its fields are ` + members},
		{"name", rules, rules + "name: No latest\n",
			`7:7: name must be a DNS label, is "No latest"; write no-latest: ` + label[2:]},
		{"name of a listener", rules, rules + "name: own\n",
			`7:7: name: "own" is the name of a listener in x.yaml already; choose another name`},
		{"no informer", "informer: pods\n", "",
			"1:1: informer is missing; add informer, the name of one or an informer with its resource"},
		{"unknown informer", "informer: pods",
			"informer: podds\ninformers: {ports: {resource: services}}",
			`3:11: informer: unknown informer "podds"; did you mean "pods"?`},
		{"unknown informer, nothing near", "informer: pods",
			"informer: zzz\ninformers: {ports: {resource: services}}",
			`3:11: informer: unknown informer "zzz"; the informers are nodes, pods, ports`},
		{"the name of an informer in braces", "informer: pods",
			"informer: {name: ports}\ninformers: {ports: {resource: services}}",
			`3:12: unknown field "name" in informer; to use the informer of that name, write informer: ports`},
		{"informers", "informer: pods",
			"informer: pods\ninformers: {A: {resource: pods}, b: {resource: secrets}, c: ~}",
			`4:13: informers.A: the name "A" is not a DNS label; write a: ` + label[2:] + "\n" +
				"4:48: informers.b.resource: secrets are not watched unless the informer allows it" +
				"; add allowSecrets: true to the informer if this is meant; their values are replaced by digests even then\n" +
				"4:61: informers.c has no value; write {resource: pods}"},
		{"indexes of a cache shared with the configuration", "informer: pods",
			"informer: {resource: pods, indexes: {node: spec.node}}",
			`3:44: informer.indexes.node is "spec.node", but informers.pods of x.yaml watches the same objects and has an index of this name on "spec.nodeName"; choose another name`},
		{"indexes of a shared cache", "informer: pods",
			"informer: {resource: jobs, indexes: {n: a}}\ninformers: {j: {resource: jobs, indexes: {n: b}}}",
			`3:41: informer.indexes.n is "a", but informers.j watches the same objects and has an index of this name on "b"; choose another name`},
		{"a Deployment", policyText,
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec: {}\n",
			`2:1: this is not a policy of informerd: it looks like an object of Kubernetes, of kind "Deployment"; informerd init writes a configuration to begin with`},
		{"a configuration", policyText, withPolicies,
			`2:7: kind must be Policy, is "Config"; a configuration is not a policy: keep policies in a folder of their own`},
		{"no header", "apiVersion: informerd.dev/v1alpha1\nkind: Policy\n", "",
			"1:1: apiVersion is missing; begin with apiVersion: informerd.dev/v1alpha1\n1:1: kind is missing; begin with kind: Policy"},
		{"empty", policyText, "",
			" the policy is empty; begin with apiVersion: informerd.dev/v1alpha1 and kind: Policy"},
		{"a list", policyText, "- a\n", "1:1: the policy must be a mapping, is a list; begin with apiVersion: informerd.dev/v1alpha1 and kind: Policy"},
		{"a key that is none", rules, rules + "[a]: b\n5: c\n",
			"7:1: a key in the policy is not a name\n" +
				`8:1: the key "5" in the policy is not a string; put it in quotes`},
		{"two documents", rules, rules + "---\nkind: Policy\n",
			"7:1: a second document begins here; a policy is one document: remove the ---, and put what follows into the first one or another file"},
		{"binary", policyText, "\x7fELF\x02\x01",
			"1:1: the character U+007F is not allowed; save the file as UTF-8 text"},
		{"not UTF-8", policyText, "\xff\xfea\x00",
			"1:1: byte 0xff is not UTF-8; save the file as UTF-8 text"},
		{"too large", policyText, strings.Repeat("# 2 MiB\n", 2<<20/8),
			" the policy is larger than 1048576 bytes"},
		{"alias in itself", "informer: pods", "informer: &a {indexes: *a}",
			"3:1: informer has no resource; add resource, as in pods, deployments.apps or certificates.v1.cert-manager.io\n" +
				"3:11: informer.indexes.indexes must be a string, is a mapping"},
		{"alias bomb", "informer: pods", "informer: &p {resource: pods, namespaces: [" +
			strings.Repeat("n, ", 1000) + "]}\ninformers:" + manyPods,
			"3:1232: the policy has more than 200000 values; values behind an alias count each time it is used"},
		{"deep", "informer: pods", "informer: " + strings.Repeat("[", 20_000),
			"3:1: not YAML: exceeded max depth of 10000"},
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
	const rename = "; add a name to the policy, or rename the file"
	const label = `; use at most 63 lower-case letters, digits and "-", with a letter or digit at both ends`
	named := func(name string) string { return policyText + "name: " + name + "\n" }
	for name, test := range map[string]struct {
		files folder
		want  string
	}{
		"of a listener": {folder{"p/own.yaml": policyText},
			`p/own.yaml: the policy's name is that of its file, "own", which is the name of a listener in x.yaml already` + rename},
		"of another policy": {
			folder{"p/a.yaml": policyText, "p/b.yaml": named("a"), "p/c.yaml": named("a")},
			`p/b.yaml:7:7: name: "a" is the name of the policy in p/a.yaml already; choose another name` + "\n" +
				`p/c.yaml:7:7: name: "a" is the name of the policy in p/a.yaml already; choose another name` + "\nx.yaml: not loaded because of that: p/a.yaml"},
		"of another policy's file": {folder{"p/a.yaml": named("b"), "p/b.yaml": policyText},
			`p/b.yaml: the policy's name is that of its file, "b", which is the name of the policy in p/a.yaml already` + rename + "\nx.yaml: not loaded because of that: p/a.yaml"},
		"of one with mistakes": {
			folder{"p/a.yaml": policyText + "x: 1\n", "p/b.yaml": named("c") + "select: ''\n",
				"p/c.yaml": policyText},
			`p/a.yaml:7:1: unknown field "x"; its fields are apiVersion, kind, name, description, informer, informers, select, resync, rules` + "\n" +
				"p/b.yaml:8:9: select is empty; remove it to select all objects\n" +
				`p/c.yaml: the policy's name is that of its file, "c", which is the name of the policy in p/b.yaml already` + rename},
		"file with a strange name": {folder{"p/My policy.v2.yaml": policyText},
			`p/My policy.v2.yaml: the policy's name is that of its file, "My policy.v2", which is not a DNS label` + rename + label},
		"file with a name that breaks lines": {folder{"p/a\n\x1b[31mb.yaml": policyText},
			`"p/a\n\x1b[31mb.yaml": the policy's name is that of its file, "a\n\x1b[31mb", which is not a DNS label` + rename + label},
		"file with a name that is not text": {
			folder{"p/\xff.yaml": policyText, "p/\xfe.yaml": named("fe")},
			`"p/\xff.yaml": the policy's name is that of its file, "\xff", which is not a DNS label` + rename + label + "\n" +
				`x.yaml: not loaded because of that: "p/\xfe.yaml"`},
		"file without a name": {folder{"p/.yaml": policyText},
			`p/.yaml: the policy's name is that of its file, "", which is not a DNS label` +
				rename + label},
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
	const folders = "; it counts from the folder of this configuration"
	for _, m := range []mistake{
		{"no entry", "\n" + entry, " []\n",
			"10:11: policies is an empty list; add files and outputs, or remove it"},
		{"an entry without value", entry, "  -\n",
			"11:4: policies[0] has no value; write {files: policies/*.yaml, outputs: [NAME]}"},
		{"empty", entry, "  - {}\n",
			"11:5: policies[0] has no files; add files, as in policies/*.yaml\n" +
				"11:5: policies[0] has no outputs; add outputs, a list of names"},
		{"misspelt files say it once", entry, "  - {file: p/*.yaml, outputs: [out]}\n",
			`11:6: unknown field "file" in policies[0]; write files: p/*.yaml`},
		{"outputs", "outputs: [out]\noutputs", "outputs: [oter, out, out]\noutputs",
			`12:15: policies[0].outputs[0]: unknown output "oter"; did you mean "other"?` + "\n" +
				`12:26: policies[0].outputs[2] repeats the output "out"`},
		{"no output", "outputs: [out]\noutputs", "outputs: []\noutputs",
			"12:14: policies[0].outputs must have at least one output"},
		{"home", "p/*.yaml", "~/p/*.yaml",
			`11:12: policies[0].files must not begin with ~, is "~/p/*.yaml"; paths are taken as they are: write it out in full, or relative to the folder of this configuration`},
		{"no path", "p/*.yaml", "' '",
			`11:12: policies[0].files is not a path: " "; write the path of policy files, as in policies/*.yaml`},
		{"no pattern", "p/*.yaml", "'p/[.yaml'",
			`11:12: policies[0].files is not a pattern: "p/[.yaml"; "[" and "\" are written as "\[" and "\\" if the names have them`},
		{"folders in folders", "p/*.yaml", "'p/**/*.yaml'",
			`11:12: policies[0].files: ** for folders in folders is not supported: "p/**/*.yaml"; add an entry for each folder, as in policies/*.yaml`},
		{"no match", "p/*.yaml", "q/*.yaml",
			`11:12: policies[0].files matches no file: "q/*.yaml"` + folders},
		{"no match anywhere", "p/*.yaml", "/q/*.yaml",
			`11:12: policies[0].files matches no file: "/q/*.yaml"`},
		{"one file twice", entry, entry + "  - {files: 'p/[a-z].yaml', outputs: [other]}\n",
			"13:13: policies[1].files matches p/a.yaml, as policies[0].files does; name each file once"},
		{"listeners that are none", "listeners:", "listeners: []\nlisteners:",
			"6:12: listeners must be a mapping, is a list; write a name and a listener, as in new-pods: {informer: {resource: pods}, outputs: [stdout]}\n7:1: listeners is defined twice, first on line 6; keep one of them"},
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
