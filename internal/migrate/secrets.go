package migrate

import (
	neturl "net/url"
	"regexp"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
)

// wholeVariable is a value that is one environment variable.
var wholeVariable = regexp.MustCompile(`^\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))$`)

// url returns where a webhook is, and whether the original has a user name and a password in it, which
// belong into a header. What is a secret is an environment variable, and so is what informerd does not
// take: then what it has to be is said.
func (c *converter) url(n *node, field, output string) (url any, hasUser bool) {
	what := "the URL of " + output
	if n.isText() && n.text != "" && !strings.Contains(n.text, "$") {
		text := n.text
		u, err := neturl.Parse(text)
		if hasUser = err == nil && u.User != nil; hasUser {
			u.User = nil
			text = u.String()
			what += " without its user name"
		}
		problem := config.CheckURL(text)
		switch {
		case problem == "" && !config.SecretURL(text):
			return text, hasUser
		case problem != "" && err == nil && u.Host != "": // else it is to be filled in
			c.lost(n, field, "the URL%s", problem)
			what = "a URL of " + output + " that informerd takes"
		}
	}
	return c.secret(n, output+"_url", what), hasUser
}

// authorization is a header with a credential.
func (c *converter) authorization(output, what string) fields {
	return fields{{"Authorization", c.variable(output+"_authorization", what)}}
}

// basic is what a credential is for a user name and a password.
const basic = "Basic, a space and user:password as base64"

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
