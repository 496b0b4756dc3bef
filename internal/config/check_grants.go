package config

import (
	"net/textproto"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/informerd/informerd/pkg/plugins"
)

func checkState(s *State, r *report) {
	if r.has("state") && r.missing("state", "dir") {
		r.key("state", "add dir, the path of a folder", "state has no dir")
	}
	r.path("state.dir", s.Dir, "a folder")
}

func checkGrants(c *Config, g *Grants, path string, r *report) {
	if g.Log != nil {
		checkLogGrant(g.Log, join(path, "log"), r)
	}
	if g.KV != nil {
		checkKVGrant(c, g.KV, join(path, "kv"), r)
	}
	if g.Clock != nil {
		checkClockGrant(g.Clock, join(path, "clock"), r)
	}
	if g.Random != nil && g.Random.Seed != nil {
		const most = 1<<31 - 1
		r.number(join(join(path, "random"), "seed"), g.Random.Seed, 0, 0, most)
	}
	if g.HTTP != nil {
		checkHTTPGrant(g.HTTP, join(path, "http"), r)
	}
	if g.Emit != nil {
		checkEmitGrant(g.Emit, join(path, "emit"), r)
	}
	if g.Cache != nil {
		checkCacheGrant(c, g.Cache, join(path, "cache"), r)
	}
}

func checkLogGrant(g *LogGrant, path string, r *report) {
	r.oneOf(join(path, "level"), &g.Level, "info", "debug", "info", "warn", "error")
	r.number(join(path, "rate"), &g.Rate, 10, 1, 10_000)
}

func checkKVGrant(c *Config, g *KVGrant, path string, r *report) {
	r.number(join(path, "keys"), &g.Keys, 1000, 1, 1_000_000)
	r.size(join(path, "bytes"), &g.Bytes, 1<<20, 1<<10, 1<<30)
	const year = 8760 * time.Hour
	if field := join(path, "ttl"); r.good(field) && g.TTL.Duration != 0 &&
		(g.TTL.Duration < time.Second || g.TTL.Duration > year) {
		r.value(field, "", "%s must be 0 (without end) or 1s to %s, is %s", field, short(year),
			short(g.TTL.Duration))
	}
	if field := join(path, "persist"); r.good(field) && g.Persist && c.State.Dir == "" &&
		!r.has("state") && !r.broken[""] {
		r.value(field, "add state: {dir: FOLDER} to the configuration",
			"%s is true, but no folder is named to keep the values in", field)
	}
}

func checkClockGrant(g *ClockGrant, path string, r *report) {
	// A guest is told nanoseconds since 1970 in 64 bits.
	if field := join(path, "fixed"); r.good(field) &&
		(g.Fixed.Year() < 1970 || g.Fixed.Year() > 2261) {
		r.value(field, "", "%s must be in the years 1970 to 2261, is %s", field,
			g.Fixed.Format(time.RFC3339))
	}
}

const (
	maxAllow   = 100
	maxHeaders = 64
)

func checkHTTPGrant(g *HTTPGrant, path string, r *report) {
	checkAllow(g.Allow, path, r)
	checkMethods(g, join(path, "methods"), r)
	r.duration(join(path, "timeout"), &g.Timeout, 5*time.Second, time.Millisecond, time.Minute)
	r.size(join(path, "maxRequest"), &g.MaxRequest, 64<<10, 1, 16<<20)
	r.size(join(path, "maxResponse"), &g.MaxResponse, 64<<10, 1, 16<<20)
	r.number(join(path, "perEvent"), &g.PerEvent, 4, 1, 1000)
	field := join(path, "headers")
	if r.good(field) && len(g.Headers) > maxHeaders {
		r.value(field, "", "%s must have at most %d headers, has %d", field, maxHeaders,
			len(g.Headers))
		return
	}
	seen := make(map[string]string, len(g.Headers))
	for name, value := range sorted(g.Headers) {
		checkHeader(name, value, seen, join(field, name), r)
	}
}

// checkRequestTime warns of requests that have less time than it seems.
func checkRequestTime(h *Handler, path string, r *report) {
	grant, deadline := join(join(path, "grants"), "http"), join(join(path, "limits"), "deadline")
	timeout := join(grant, "timeout")
	if h.Grants.HTTP == nil || r.failed[grant] || r.failed[timeout] || r.failed[deadline] {
		return
	}
	limit := h.Limits.Deadline.Duration
	switch {
	case r.has(timeout) && h.Grants.HTTP.Timeout.Duration > limit:
		r.warn(r.values[timeout], timeout, "raise the deadline, or lower the timeout",
			"%s is %s, but %s ends a request earlier: it is %s", timeout,
			short(h.Grants.HTTP.Timeout.Duration), deadline, short(limit))
	case !r.has(timeout) && !r.has(deadline):
		r.warn(r.keys[grant], grant, "set it to what the server may take",
			"%s: a request must fit in %s, which is %s unless it is set", grant, deadline,
			short(limit))
	}
}

func checkAllow(allow []string, path string, r *report) {
	field := join(path, "allow")
	switch {
	case r.missing(path, "allow"):
		r.key(path, "add allow, a list of URLs, as in [https://hooks.example.com/x]",
			"%s has no allow", path)
	case r.good(field) && len(allow) == 0:
		r.value(field, "name a URL, as in https://hooks.example.com/x, or remove the grant",
			"%s is an empty list", field)
	case r.good(field) && len(allow) > maxAllow:
		r.value(field, "", "%s must have at most %d URLs, has %d", field, maxAllow, len(allow))
		return
	}
	repeated := repeats(allow)
	for i, text := range allow {
		at := item(field, i)
		if !r.good(at) {
			continue
		}
		if repeated[i] {
			r.value(at, "", "%s stands there already", at)
		} else if wrong, hint := wrongPrefix(text); wrong != "" {
			r.value(at, hint, "%s%s", at, wrong)
		}
	}
}

// wrongPrefix says what is wrong with a URL, as the host of handlers sees it, without showing it:
// there may be a password in it.
func wrongPrefix(text string) (wrong, hint string) {
	err := plugins.CheckHTTPAllow(text)
	if err == nil {
		return "", ""
	}
	wrong, hint = ": "+err.Error(), "write it as https://hooks.example.com/x"
	if is, ok := strings.CutPrefix(err.Error(), "it "); ok {
		wrong = " " + is
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http":
	case u.User != nil:
		hint = "remove it, and give the credential in headers, as in headers: {Authorization: {fromEnv: NAME}}"
	case strings.Contains(u.Host, "*"):
		hint = "name each host"
	case strings.ContainsAny(text, "?#"):
		hint = "remove ? or # and what follows"
	case u.Host != "":
		hint = "" // what is wrong with the host, the port or the path says enough
	}
	return wrong, hint
}

var methodName = regexp.MustCompile(`^[A-Z]+(-[A-Z]+)*$`)

func checkMethods(g *HTTPGrant, field string, r *report) {
	if !r.good(field) {
		g.Methods = []string{"GET", "POST"}
		return
	}
	if len(g.Methods) == 0 {
		r.value(field, "remove it for GET and POST", "%s is an empty list", field)
	}
	repeated := repeats(g.Methods)
	for i, method := range g.Methods {
		at := item(field, i)
		switch {
		case !r.good(at):
		case !methodName.MatchString(method):
			hint := ""
			if upper := strings.ToUpper(method); methodName.MatchString(upper) {
				hint = didYouMean(upper, []string{upper})
			}
			r.value(at, hint, "%s must be a method in capitals, is %s", at, quote(method))
		case method == "CONNECT" || method == "TRACE":
			r.value(at, "", "%s: handlers are not given the method %s", at, method)
		case repeated[i]:
			r.value(at, "", "%s repeats the method %s", at, method)
		}
	}
}

var (
	headerName   = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	// ownHeaders are those that say how a message is cut out of the stream and whom it is for.
	ownHeaders = regexp.MustCompile(
		`^(connection|content-length|expect|host|http2-settings|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*)$`)
	// credentials are headers that hold one, as far as their names tell.
	credentials = regexp.MustCompile(
		`authorization|cookie|token|secret|passw|credential|api-?key|access-?key|private-?key|(^|-)(auth|key|signature)($|-)`)
)

const whereHint = "write {fromEnv: NAME} or {fromFile: PATH}"

// checkHeader looks at one header. What it reports never shows the value.
func checkHeader(name string, value HeaderValue, seen map[string]string, path string, r *report) {
	lower, canonical := strings.ToLower(name), textproto.CanonicalMIMEHeaderKey(name)
	switch other, twice := seen[canonical]; {
	case !headerName.MatchString(name):
		r.key(path, "", "%s: %s is no name for a header", path, quote(name))
		return
	case ownHeaders.MatchString(lower):
		r.key(path, "remove it", "%s: the header %s cannot be set", path, canonical)
		return
	case twice:
		r.key(path, "case does not matter in them, keep one", "%s and %s are the same header", path,
			quote(other))
		return
	}
	seen[canonical] = name
	if !r.good(path) || r.broken[path] {
		return
	}
	env, file := join(path, "fromEnv"), join(path, "fromFile")
	switch {
	case r.has(env) && r.has(file):
		r.value(path, "keep one of them", "%s has both fromEnv and fromFile", path)
	case r.has(env):
		if r.good(env) && !variableName.MatchString(value.FromEnv) {
			r.value(env, "", "%s must be the name of an environment variable, is %s", env,
				quote(value.FromEnv))
		}
	case r.has(file):
		r.path(file, value.FromFile, "a file")
	case value.Text == "":
		r.value(path, whereHint+", or remove it", "%s has no value", path)
	case credentials.MatchString(lower):
		r.value(path, whereHint, "%s: the credential must not stand in the configuration", path)
	case strings.ContainsFunc(value.Text, func(c rune) bool {
		return c < ' ' && c != '\t' || c == 0x7f
	}):
		r.value(path, "", "%s has a control character in it, such as a line break", path)
	}
}

func checkCacheGrant(c *Config, g *CacheGrant, path string, r *report) {
	field := join(path, "informers")
	switch {
	case r.missing(path, "informers"):
		r.key(path, "add informers, a list of names", "%s has no informers", path)
	case r.good(field) && len(g.Informers) == 0:
		r.value(field, "name an informer, or remove the grant", "%s is an empty list", field)
	}
	repeated := repeats(g.Informers)
	for i, name := range g.Informers {
		at := item(field, i)
		switch {
		case !r.good(at):
		case repeated[i]:
			r.value(at, "", "%s repeats the informer %s", at, quote(name))
		case !r.has(join("informers", name)) && !r.failed["informers"]:
			r.value(at, known(r, name, "informers", c.Informers), "%s: unknown informer %s", at,
				quote(name))
		}
	}
	field = join(path, "namespaces")
	if r.good(field) && len(g.Namespaces) == 0 {
		r.value(field, "remove it to allow all namespaces", "%s is an empty list", field)
	}
	repeated = repeats(g.Namespaces)
	for i, namespace := range g.Namespaces {
		at := item(field, i)
		switch {
		case !r.good(at):
		case repeated[i]:
			r.value(at, "", "%s repeats the namespace %s", at, quote(namespace))
		case namespace == "*":
			r.value(at, "remove namespaces to allow all of them",
				"%s must be the name of a namespace, is %s", at, quote(namespace))
		case namespace != "": // of objects that are in none
			r.label(at, namespace)
		}
	}
	r.number(join(path, "maxItems"), &g.MaxItems, 1000, 1, 100_000)
	r.size(join(path, "maxBytes"), &g.MaxBytes, 8<<20, 1<<10, 1<<30)
}

// repeats tells of each item whether it stands there before.
func repeats(list []string) []bool {
	seen, repeated := make(map[string]bool, len(list)), make([]bool, len(list))
	for i, text := range list {
		repeated[i] = seen[text]
		seen[text] = true
	}
	return repeated
}
