package migrate

import (
	"regexp"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
)

// wholeVariable is a value that is one environment variable.
var wholeVariable = regexp.MustCompile(`^\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))$`)

// secretHosts have URLs that are secrets.
var secretHosts = regexp.MustCompile(`^https://(hooks\.slack(-gov)?\.com|[a-z0-9.-]*webhook\.office\.com|outlook\.office(365)?\.com|open\.(feishu\.cn|larksuite\.com)|api\.flock\.com)/`)

// url returns where a webhook is. What informerd does not take, and what is a secret, is an
// environment variable.
func (c *converter) url(n *node, output string) any {
	if n.isText() {
		problem := config.CheckURL(n.text)
		if problem == "" && n.text != "" && !strings.Contains(n.text, "${") &&
			!secretHosts.MatchString(n.text) {
			return n.text
		}
	}
	return c.secret(n, output+"_url", "the URL of "+output)
}

// secret returns where a secret is: in the environment variable of the original, or in another one.
func (c *converter) secret(n *node, variable, what string) fields {
	if n.isText() {
		if m := wholeVariable.FindStringSubmatch(n.text); m != nil {
			return fields{{"fromEnv", m[1] + m[2]}}
		}
	}
	return c.variable(variable, what)
}

// headers returns the headers of requests.
func (s *sink) headers() (all fields) {
	n := s.n.get("headers")
	if !n.isMapping() {
		return nil
	}
	for _, m := range n.members {
		text := m.value.text
		switch {
		case config.FramesRequest(m.name), strings.Contains(text, "{{"):
			s.lost(m.value, document.Join(s.field+".headers", m.name), "this header cannot be set")
		case text == "", strings.EqualFold(m.name, "content-type"):
		case config.HoldsCredential(m.name), strings.Contains(text, "$"):
			all = all.with(m.name, s.secret(m.value, s.name+"_"+m.name,
				"the header "+m.name+" of "+s.name))
		default:
			all = all.with(m.name, text)
		}
	}
	return all
}

// tls returns whom the connection trusts.
func (c *converter) tls(n *node, field string) fields {
	all := fields{}
	for _, name := range []string{"caFile", "certFile", "keyFile", "serverName"} {
		if text := n.textOf(name); text != "" {
			all = all.with(name, text)
		}
	}
	if skip := n.get("insecureSkipVerify"); skip.isTrue() {
		c.lost(skip, field+".insecureSkipVerify", "informerd always checks certificates: set tls.caFile")
	}
	return all
}
