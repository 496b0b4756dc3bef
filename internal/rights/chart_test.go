package rights

import (
	"strings"
	"testing"
)

// TestChartDigest: comments, order, quotes and style change nothing, everything else does.
func TestChartDigest(t *testing.T) {
	digest := func(config string, policies ...string) string {
		files := map[string][]byte{}
		for i := 0; i < len(policies); i += 2 {
			files[policies[i]] = []byte(policies[i+1])
		}
		d, err := chartDigest([]byte(config), files)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	const config, policy = "kind: Config\nlisteners: {a: {on: [add], workers: 2}}\n", "kind: Policy\n"
	first := digest(config, "p.yaml", policy)
	for _, same := range [][2]string{
		{"# a comment\n" + config, policy},
		{"listeners:\n  a:\n    workers: 2\n    'on': [\"add\"]\nkind: Config\n", policy},
		{config, "{kind: 'Policy'} # the same"},
	} {
		if digest(same[0], "p.yaml", same[1]) != first {
			t.Errorf("another digest: %q", same)
		}
	}
	for _, other := range []string{
		digest(config), digest(config, "q.yaml", policy), digest(config, "p.yaml", policy+"name: x\n"),
		digest(strings.Replace(config, "add", "delete", 1), "p.yaml", policy),
	} {
		if other == first {
			t.Error("the same digest of something else")
		}
	}
}

func TestChartUnreadable(t *testing.T) {
	for _, r := range []chartRelease{
		{config: []byte("{")},
		{config: []byte("a: b"), policies: map[string][]byte{"p.yaml": []byte("- a list")}},
	} {
		if _, err := r.yaml(); err == nil {
			t.Errorf("no error: %v", r)
		}
	}
}

func TestChartPath(t *testing.T) {
	for path, good := range map[string]bool{
		"policies/a.yaml": true, "a.yaml": true, "policies/a.b_c-d.yaml": true, "A/B/C": true,
		"informerd.yaml": false, "": false, "/a": false, "a/": false, "a//b": false, "../a": false,
		"a/../b": false, "a..b": false, ".a": false, "a b": false, "ä": false, "a.": false,
	} {
		if err := checkChartPath(path); (err == nil) != good {
			t.Errorf("%q: %v", path, err)
		}
	}
}
