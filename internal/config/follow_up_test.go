package config

import (
	"strings"
	"testing"
)

// What follows from a mistake is not reported as well.
func TestWhatFollowsFromAMistake(t *testing.T) {
	for _, c := range []struct{ what, wrong, want string }{
		{"outputs:\n  out", "ouputs:\n  out", `10:1: unknown field "ouputs"; did you mean "outputs"?`},
		{"informers:", "infomers:", `4:1: unknown field "infomers"; did you mean "informers"?`},
		{"  out: {", "  Out: {", `11:3: outputs.Out: the name "Out" is not a DNS label`},
		{"  pods: {", "  Pods: {", `5:3: informers.Pods: the name "Pods" is not a DNS label`},
		{"pods: {resource: pods}", "pods: {resource: secrets, allowSecret: true}",
			`unknown field "allowSecret" in informers.pods; did you mean "allowSecrets"?`},
	} {
		text := strings.Replace(hinted, c.what, c.wrong, 1)
		_, err := Parse("x.yaml", []byte(text))
		if text == hinted || err == nil || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s:\n got %v\nwant %s, and nothing else", c.wrong, err, c.want)
		}
	}
}
