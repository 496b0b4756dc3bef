package config

import (
	"net/textproto"
	"regexp"
	"strings"

	"github.com/informerd/informerd/internal/config/advice"
	"github.com/informerd/informerd/internal/config/document"
)

var (
	// ownHeaders are those that frame a message or name its receiver.
	ownHeaders = regexp.MustCompile(
		`^(connection|content-length|expect|host|http2-settings|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*)$`)
	// credentials are names of headers that hold one.
	credentials = regexp.MustCompile(
		`authorization|cookie|token|secret|passw|credential|api-?key|access-?key|private-?key|(^|-)(auth|key|signature)($|-)`)
)

// FramesRequest reports whether a header cannot be set, as it frames a message or names its
// receiver.
func FramesRequest(header string) bool { return ownHeaders.MatchString(strings.ToLower(header)) }

// HoldsCredential reports whether a header holds a credential, which must not be in a
// configuration.
func HoldsCredential(header string) bool {
	return credentials.MatchString(strings.ToLower(header))
}

func checkHeaders(headers map[string]Value, path string, r *document.Report) {
	if r.Failed(path) {
		return
	}
	seen := make(map[string]string, len(headers))
	for name, value := range document.Sorted(headers) {
		checkHeader(name, value, seen, document.Join(path, name), r)
	}
}

// checkHeader looks at one header. What it reports never shows the value.
func checkHeader(name string, value Value, seen map[string]string, path string,
	r *document.Report) {
	lower, canonical := strings.ToLower(name), textproto.CanonicalMIMEHeaderKey(name)
	switch other, twice := seen[canonical]; {
	case !formats["header-name"].Pattern.MatchString(name):
		return
	case ownHeaders.MatchString(lower):
		r.BadField(path, "remove it", "%s: the header %s cannot be set", path, canonical)
		return
	case twice:
		r.BadField(path, "case does not matter in them, keep one",
			"%s and %s are the same header", path, document.Quote(other))
		return
	}
	seen[canonical] = name
	text := value.Text
	switch {
	case !r.Good(path) || value.FromEnv != "" || value.FromFile != "":
	case r.Has(document.Join(path, "fromEnv")) || r.Has(document.Join(path, "fromFile")):
	case text == "" && !r.Broken(path):
		r.BadValue(path, whereHint+", or remove it", "%s has no value", path)
	case credentials.MatchString(lower) && text != "":
		r.BadValue(path, advice.Where(text), "%s: the credential must not be in the configuration", path)
	case advice.NotReplaced(text) != "":
		r.Warn(r.Value(path), path, advice.Where(text),
			"%s is sent as it is: variables and templates are not replaced", path)
	case strings.ContainsFunc(text, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }):
		r.BadValue(path, "", "%s has a control character in it, such as a line break", path)
	}
}
