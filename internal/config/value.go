package config

import (
	"encoding/json"
	"net/textproto"
	"regexp"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
)

// Bytes is a number of bytes, and Expression the text of an expression with its place.
type (
	Bytes      = document.Bytes
	Expression = document.Expression
)

// Value is a text, or one of {fromEnv: NAME} and {fromFile: PATH}. What holds a credential, such as
// the header Authorization, takes no text.
type Value struct {
	// FromEnv is the name of an environment variable, which must not be empty.
	FromEnv string `json:"fromEnv,omitempty" jsonschema:"oneof_required=value,format=variable"`
	// FromFile is the path of a file, which must not be empty. A line break at its end is removed.
	FromFile string `json:"fromFile,omitempty" jsonschema:"oneof_required=value,format=path" item:"a file"`

	Text string `json:"-"` // if none of the others
}

// MarshalJSON writes the text, or where it is.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.FromEnv == "" && v.FromFile == "" {
		return json.Marshal(v.Text)
	}
	type where Value // without this method
	return json.Marshal(where(v))
}

// Secret is where a secret is: one of {fromEnv: NAME} and {fromFile: PATH}.
type Secret struct {
	// FromEnv is the name of an environment variable, which must not be empty.
	FromEnv string `json:"fromEnv,omitempty" jsonschema:"oneof_required=value,format=variable"`
	// FromFile is the path of a file, which must not be empty. It is read again when it changes.
	FromFile string `json:"fromFile,omitempty" jsonschema:"oneof_required=value,format=path" item:"a file"`
}

// noCredential is what is wrong with a credential in the configuration.
const noCredential = "a credential must not be in the configuration, but in {fromEnv: NAME} or {fromFile: PATH}"

// decodeValue decodes a text, or the place of one. Its mistakes do not show a value: it may be a
// secret.
func decodeValue(v document.Value, into *Value) {
	switch {
	case v.IsMapping():
		v.Decode(into)
	case v.IsText():
		into.Text, _ = v.Text("")
	default:
		v.Wrong("%s must be a string, {fromEnv: NAME} or {fromFile: PATH}", v.Path)
	}
}

// decodeSecret decodes the place of a secret. The secret itself is a mistake, which does not show
// it.
func decodeSecret(v document.Value, into *Secret) {
	switch {
	case v.IsMapping():
		v.Decode(into)
	case v.IsText():
		v.Wrong("%s: %s", v.Path, noCredential)
	default:
		v.Wrong("%s must be {fromEnv: NAME} or {fromFile: PATH}", v.Path)
	}
}

var (
	// ownHeaders are those that frame a message or name its receiver.
	ownHeaders = regexp.MustCompile(
		`^(connection|content-length|expect|host|http2-settings|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*)$`)
	// credentials are names of what holds one.
	credentials = regexp.MustCompile(
		`token|secret|passw|credential|authorization|(api|access|private|routing|service|integration|license)[-_]?key`)
	// credentialHeaders are names of headers that hold one, besides these.
	credentialHeaders = regexp.MustCompile(`cookie|(^|-)(auth|key|signature)($|-)`)
)

// FramesRequest reports whether a header cannot be set, as it frames a message or names its
// receiver.
func FramesRequest(header string) bool { return ownHeaders.MatchString(strings.ToLower(header)) }

// NamesCredential reports whether a member of a body, or what else has a name, holds a credential,
// which must not be in a configuration.
func NamesCredential(name string) bool { return credentials.MatchString(strings.ToLower(name)) }

// HoldsCredential reports the same of a header.
func HoldsCredential(header string) bool {
	return NamesCredential(header) || credentialHeaders.MatchString(strings.ToLower(header))
}

// checkHeaders looks at the headers of requests. What it reports never shows a value.
func checkHeaders(headers map[string]Value, path string, r *document.Report) {
	if r.Failed(path) {
		return
	}
	seen := make(map[string]string, len(headers))
	for name, value := range document.Sorted(headers) {
		at, canonical := document.Join(path, name), textproto.CanonicalMIMEHeaderKey(name)
		other, twice := seen[canonical]
		switch {
		case !formats()["header-name"].Pattern.MatchString(name):
		case FramesRequest(name):
			r.BadField(at, "%s: the header %s cannot be set", at, canonical)
		case twice:
			r.BadField(at, "%s and %s are the same header", at, document.Quote(other))
		default:
			seen[canonical] = name
			checkHeader(name, value, at, r)
		}
	}
}

func checkHeader(name string, value Value, path string, r *document.Report) {
	text := value.Text
	switch {
	case !r.Good(path) || value.FromEnv != "" || value.FromFile != "":
	case r.Has(path+".fromEnv") || r.Has(path+".fromFile"):
	case text == "" && !r.Broken(path):
		r.BadValue(path, "%s has no value", path)
	case HoldsCredential(name) && text != "":
		r.BadValue(path, "%s: %s", path, noCredential)
	case strings.ContainsFunc(text, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }):
		r.BadValue(path, "%s has a control character in it, such as a line break", path)
	}
}
