package urls

import (
	"net/url"
	"regexp"
	"strings"
)

var (
	secretQuery = regexp.MustCompile(
		`token|secret|passw|credential|api-?_?key|access-?_?key|^(auth|key|sig|signature|code)$`)
	secretHosts = []string{"hooks.slack.com", "hooks.slack-gov.com"}
)

// Secret reports whether who knows the URL may use it, as with one that Slack hands out.
func Secret(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	for name := range u.Query() {
		if secretQuery.MatchString(strings.ToLower(name)) {
			return true
		}
	}
	for _, host := range secretHosts {
		if strings.EqualFold(u.Hostname(), host) {
			return true
		}
	}
	return false
}
