package config

import (
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/outbound"
)

// CheckURL returns what is wrong with the URL of an output that is reached by HTTP, as it follows
// the field's path, "" if nothing is. The URL is not shown: there may be a credential in it.
func CheckURL(text string) (problem string) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Opaque != "":
		return " must be a URL that begins with https://"
	case u.User != nil:
		return " must not have a user name: credentials are headers, as in headers: {Authorization: {fromEnv: NAME}}"
	case u.Fragment != "" || strings.HasSuffix(text, "#"):
		return " must not have a fragment"
	case strings.ContainsFunc(text, func(c rune) bool {
		return c <= ' ' || strings.ContainsRune("\x7f\\{}", c)
	}):
		return " has a space, a brace or another character in it that a URL cannot have"
	}
	if problem := checkHostPort(u.Hostname(), u.Port(), u.Host); problem != "" {
		return problem
	}
	if u.Scheme == "http" && !nearby(u.Hostname()) {
		return " must begin with https:// unless it is a loopback or private address or a service in the cluster"
	}
	return ""
}

func checkHTTPURL(text, _ string) (problem string) { return CheckURL(text) }

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
	return outbound.Loopback(host) || !strings.Contains(host, ".") || strings.HasSuffix(host, ".svc") ||
		strings.HasSuffix(host, ".svc.cluster.local")
}

// hostName is that of a machine, as it is in a URL.
var hostName = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?$`)

// checkNATSURL checks the URL of a server of NATS.
func checkNATSURL(text, _ string) (problem string) {
	u, err := url.Parse(text)
	switch {
	case err != nil || !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme) ||
		u.Opaque != "":
		return " must be a URL that begins with nats://, tls://, ws:// or wss://"
	case u.User != nil:
		return ": the credential must not be in the configuration, but in credentials: {fromFile: PATH}"
	case u.RawQuery != "" || u.Fragment != "" || strings.ContainsAny(text, "?#,"):
		return " must be the URL of one server, without a query"
	case u.Path != "" && u.Path != "/" && !strings.HasPrefix(u.Scheme, "ws"):
		return " must not have a path"
	}
	return checkHostPort(u.Hostname(), u.Port(), u.Host)
}

// checkBroker checks the address of a broker of Kafka.
func checkBroker(text, _ string) (problem string) {
	u, err := url.Parse("//" + text)
	if err != nil || u.Host != text || u.Port() == "" {
		return " must be a host and a port, is " + document.Quote(text)
	}
	if problem := checkHostPort(u.Hostname(), u.Port(), u.Host); problem != "" {
		return problem + ", is " + document.Quote(text)
	}
	return ""
}

// checkAddress checks an address to listen on.
func checkAddress(address, _ string) (problem string) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return " must be a host and a port, as in 127.0.0.1:8080, is " + document.Quote(address)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return " must have a port of 0 to 65535, is " + document.Quote(address)
	}
	return ""
}

// checkURLPrefix returns what the host of handlers says of a URL. The URL is not shown: there may
// be a password in it.
func checkURLPrefix(text, _ string) (problem string) {
	return problemOf(outbound.CheckPrefix(text))
}

// secretQuery are names of parameters that hold a credential, besides those that do everywhere.
var secretQuery = regexp.MustCompile(`^(auth|key|sig|signature|code)$`)

// secretURL is what services hand out, with a token in the path.
var secretURL = regexp.MustCompile(`^https://(hooks\.slack(-gov)?\.com/|[a-z0-9.-]*webhook\.office\.com/|outlook\.office(365)?\.com/|open\.(feishu\.cn|larksuite\.com)/|api\.flock\.com/|([a-z]+\.)?discord(app)?\.com/api/webhooks/|api\.telegram\.org/bot)`)

// SecretURL reports whether who knows the URL may use it, as with one that Slack hands out.
func SecretURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	for name := range u.Query() {
		if NamesCredential(name) || secretQuery.MatchString(strings.ToLower(name)) {
			return true
		}
	}
	return secretURL.MatchString("https://" + strings.ToLower(u.Hostname()) + u.EscapedPath())
}

// mayHoldSecret reports whether a credential may be in a line of a configuration.
func mayHoldSecret(line string) bool {
	return strings.Contains(line, "://") || HoldsCredential(line)
}
