package config

import (
	"encoding/json"

	"github.com/informerd/informerd/internal/config/advice"
	"github.com/informerd/informerd/internal/config/document"
)

// Value is a text, or one of {fromEnv: NAME} and {fromFile: PATH}. What holds a credential, such as
// the header Authorization, takes no text.
type Value struct {
	// FromEnv is the name of an environment variable, which must not be empty.
	FromEnv string `json:"fromEnv,omitempty" jsonschema:"oneof_required=value,format=variable"`
	// FromFile is the path of a file, which must not be empty; a relative one counts from the
	// folder of this configuration. A line break at its end is removed.
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
	// FromFile is the path of a file, which must not be empty; a relative one counts from the
	// folder of this configuration. It is read again when it changes.
	FromFile string `json:"fromFile,omitempty" jsonschema:"oneof_required=value,format=path" item:"a file"`
}

const whereHint = advice.WhereHint

// decodeValue decodes a text, or the place of one. Its mistakes do not show a value: it may be a
// secret.
func decodeValue(v document.Value, into *Value) {
	switch {
	case v.IsMapping():
		v.Decode(into)
	case v.IsText():
		into.Text, _ = v.Text("")
	default:
		hint := whereHint
		if v.IsScalar() {
			hint = "put it in quotes, or " + hint
		}
		v.Wrong(hint, "%s must be a string, or say where its value is", v.Path)
	}
}

// decodeSecret decodes the place of a secret. The secret itself is a mistake, which does not show
// it.
func decodeSecret(v document.Value, into *Secret) {
	switch {
	case v.IsMapping():
		v.Decode(into)
	case v.IsText():
		text, _ := v.Text("")
		v.Wrong(advice.Where(text), "%s: the secret must not be in the configuration", v.Path)
	default:
		v.Wrong(whereHint, "%s must say where its value is", v.Path)
	}
}
