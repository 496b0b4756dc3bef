package config

import (
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// longest is how long a rule may wait.
const longest = 30 * 24 * time.Hour

func checkRules(rules []Rule, path string, r *report) {
	if r.good(path) && len(rules) == 0 {
		r.value(path, "", "%s must have at least one rule", path)
	}
	names := make(map[string]bool, len(rules))
	for i := range rules {
		if at := item(path, i); r.good(at) {
			checkRule(&rules[i], at, names, r)
		}
	}
}

// checkRule checks one rule. Names are those of the rules before it.
func checkRule(rule *Rule, path string, names map[string]bool, r *report) {
	field := join(path, "name")
	switch {
	case r.missing(path, "name"):
		r.key(path, "add name, which says in a few words what is violated", "%s has no name", path)
	case r.good(field) && names[rule.Name]:
		r.value(field, "choose another name", "%s repeats the name %s", field, quote(rule.Name))
	default:
		r.label(field, rule.Name)
	}
	names[rule.Name] = r.has(field)
	field = join(path, "deny")
	switch {
	case r.missing(path, "deny"):
		r.key(path, "add deny, an expression that is true for a violation", "%s has no deny", path)
	case r.good(field) && strings.TrimSpace(rule.Deny.Text) == "":
		r.value(field, "give it an expression that is true for a violation", "%s is empty", field)
	}
	if field := join(path, "message"); r.good(field) && strings.TrimSpace(rule.Message.Text) == "" {
		r.value(field, "remove it to report the rule's name", "%s is empty", field)
	}
	r.oneOf(join(path, "severity"), &rule.Severity, SeverityMedium,
		SeverityInfo, SeverityLow, SeverityMedium, SeverityHigh, SeverityCritical)
	r.wait(join(path, "for"), rule.For, 0)
	r.wait(join(path, "repeat"), rule.Repeat, time.Second)
}

// wait checks a duration that may be 0.
func (r *report) wait(field string, value metav1.Duration, low time.Duration) {
	switch d := value.Duration; {
	case !r.good(field) || d == 0:
	case d > longest:
		r.value(field, "", "%s must be at most %s (30 days), is %s", field, short(longest),
			short(d))
	case d < low:
		r.value(field, "0 is never", "%s must be at least %s, is %s", field, short(low), short(d))
	}
}

func checkHTTP(h *HTTP, r *report) {
	const example = "127.0.0.1:8080"
	host, port, good := checkAddress("http", h.Address, example, r)
	if good && !strings.EqualFold(host, "localhost") && !net.ParseIP(host).IsLoopback() {
		r.value("http.address",
			fmt.Sprintf("write 127.0.0.1:%s or localhost:%[1]s; serving others needs authentication, which this version does not have, but for probes, which have health.address", port),
			"http.address must have a loopback address or localhost for its host, is %s",
			quote(h.Address))
	}
}

func checkHealth(h *Health, r *report) { checkAddress("health", h.Address, ":8081", r) }

// checkAddress checks the address of a section that has nothing else. It reports whether there is
// one that can be split.
func checkAddress(section, address, example string, r *report) (host, port string, good bool) {
	field := section + ".address"
	if r.has(section) && r.missing(section, "address") {
		r.key(section, "add address, as in "+example, "%s has no address", section)
	}
	if !r.good(field) {
		return "", "", false
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		r.value(field, "write it as "+example, "%s must be a host and a port, is %s", field,
			quote(address))
		return "", "", false
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		r.value(field, "write it as "+example, "%s must have a port of 0 to 65535, is %s", field,
			quote(address))
		return "", "", false
	}
	return host, port, true
}

// checkPolicies checks the entries of policies. What they name is looked at later.
func checkPolicies(c *Config, r *report) {
	if r.good("policies") && len(c.Policies) == 0 {
		r.value("policies", "add files and outputs, or remove it", "policies is an empty list")
	}
	for i, entry := range c.Policies {
		path := item("policies", i)
		if !r.good(path) {
			continue
		}
		field := join(path, "files")
		switch _, err := filepath.Match(entry.Files, ""); {
		case r.missing(path, "files"):
			r.key(path, "add files, as in policies/*.yaml", "%s has no files", path)
		case !r.good(field):
		case err != nil:
			r.value(field, `"[" and "\" are written as "\[" and "\\" if the names have them`,
				"%s is no pattern: %s", field, quote(entry.Files))
		case strings.Contains(entry.Files, "**"):
			// It would be read as *, and what stands deeper would be missed without a word.
			r.value(field, "give each folder an entry, as in policies/*.yaml",
				"%s: ** for folders in folders is not supported: %s", field, quote(entry.Files))
		default:
			r.path(field, entry.Files, "policy files, as in policies/*.yaml")
		}
		checkOutputNames(c, entry.Outputs, path, r)
	}
}
