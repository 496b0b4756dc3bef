// Package urls checks the URLs and addresses that outputs connect to. Each check
// returns the problem, as it follows a field's path, and what to do; both are empty without one.
package urls

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/loopback"
)

const httpExample = "https://hooks.example.com/x"

// variable is one of a shell, or a template, behind the scheme of a URL.
var variable = regexp.MustCompile(
	`://.*(\$\{|\{\{|\$\([A-Z_][A-Z0-9_]*\)|\$[A-Z][A-Z0-9_]{2,}([/.:&?]|$))`)

// HTTP returns what is wrong with the URL of an output that is reached by HTTP, and what to do,
// both empty if nothing is. The URL is not shown: there may be a credential in it.
func HTTP(text string) (problem, hint string) {
	u, err := url.Parse(text)
	switch {
	case variable.MatchString(text):
		return " has a variable or a template in it",
			"they are not replaced: put the whole URL into one variable, or a file, and write {fromEnv: NAME} or {fromFile: PATH}"
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Opaque != "":
		return " must be a URL that begins with https://", "write it as " + httpExample
	case u.User != nil:
		return " must not have a user name",
			"put the credential into headers, as in headers: {Authorization: {fromEnv: NAME}}"
	case u.Fragment != "" || strings.HasSuffix(text, "#"):
		return " must not have a fragment", "remove # and what follows"
	case strings.ContainsFunc(text, func(c rune) bool {
		return c <= ' ' || c == 0x7f || c == '\\'
	}):
		return " has a space, a control character or a backslash in it", "write it as " + httpExample
	}
	if problem := checkHostPort(u.Hostname(), u.Port(), u.Host); problem != "" {
		return problem, "write it as " + httpExample
	}
	if u.Scheme == "http" && !nearby(u.Hostname()) {
		return " must begin with https://",
			"http:// is for loopback and private addresses, and for services in the cluster, as in http://NAME.NAMESPACE.svc"
	}
	return "", ""
}

// checkHostPort checks the parts of an address to connect to. Whole has both.
func checkHostPort(host, port, whole string) (problem string) {
	ip, err := netip.ParseAddr(host)
	switch n, bad := strconv.ParseUint(port, 10, 16); {
	case host == "" || strings.HasSuffix(whole, ":"):
		return " has no host, or no port after the colon"
	case port != "" && (bad != nil || n == 0 || strconv.FormatUint(n, 10) != port):
		return " must have a port of 1 to 65535"
	case err == nil && (ip.IsUnspecified() || ip.IsMulticast() || ip.Zone() != ""):
		return " must have an address that can be connected to"
	case err != nil && !hostName.MatchString(host):
		return " must have the name of a host, or an address"
	}
	return ""
}

// nearby reports whether a host is this machine, a private address, or a service of the cluster, by
// its name alone. Names outside never have a single label, or end in svc or in the domain that
// clusters have unless they are set up otherwise.
func nearby(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback() || ip.Unmap().IsPrivate()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return loopback.Host(host) || !strings.Contains(host, ".") || strings.HasSuffix(host, ".svc") ||
		strings.HasSuffix(host, ".svc.cluster.local")
}

// hostName is that of a machine, as it is in a URL.
var hostName = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?$`)

var natsSchemes = map[string]bool{"nats": true, "tls": true, "ws": true, "wss": true}

// NATS checks the URL of a server of NATS.
func NATS(text, _ string) (problem, hint string) {
	const example = "write it as nats://nats:4222"
	u, err := url.Parse(text)
	switch {
	case variable.MatchString(text):
		return " has a variable or a template in it", "they are not replaced: " + example
	case err != nil || !natsSchemes[u.Scheme] || u.Opaque != "":
		return " must be a URL that begins with nats://, tls://, ws:// or wss://", example
	case u.User != nil:
		return ": the credential must not be in the configuration",
			"remove it, and write credentials: {fromFile: PATH}"
	case u.RawQuery != "" || u.Fragment != "" || strings.ContainsAny(text, "?#,"):
		return " must be the URL of one server, without a query", example
	case u.Path != "" && u.Path != "/" && !strings.HasPrefix(u.Scheme, "ws"):
		return " must not have a path", example
	}
	if problem := checkHostPort(u.Hostname(), u.Port(), u.Host); problem != "" {
		return problem, example
	}
	return "", ""
}

// Broker checks the address of a broker of Kafka.
func Broker(text, _ string) (problem, hint string) {
	const example = "write it as kafka:9092"
	u, err := url.Parse("//" + text)
	if variable.MatchString("://" + text) {
		return " has a variable or a template in it, is " + document.Quote(text),
			"they are not replaced: " + example
	}
	if err != nil || u.Host != text || u.Port() == "" {
		return " must be a host and a port, is " + document.Quote(text), example
	}
	if problem := checkHostPort(u.Hostname(), u.Port(), u.Host); problem != "" {
		return problem + ", is " + document.Quote(text), example
	}
	return "", ""
}
