package informerd

import (
	"fmt"
	"strconv"

	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// FieldPath is the way to a field, such as metadata.labels["app"] or spec.containers[0].image.
type FieldPath struct {
	text   string
	handle int32
}

var (
	declared    []*FieldPath // with Path
	configuring bool
)

// Path declares a path, for a package-level variable. It is compiled when the guest is configured, and a mistake in it
// refuses the handler at load.
func Path(text string) *FieldPath {
	p := &FieldPath{text: text, handle: -1}
	declared = append(declared, p)
	return p
}

// Compile compiles a path that is known only from the configuration. Only Handler.Configure may call it.
func Compile(text string) (*FieldPath, error) {
	p := &FieldPath{text: text, handle: -1}
	if !configuring {
		return nil, fmt.Errorf("path %s: paths can be compiled in Configure only", text)
	}
	return p, p.compile()
}

// String gives the path's text.
func (p *FieldPath) String() string { return p.text }

func (p *FieldPath) compile() error {
	p.handle = host.EventPath([]byte(p.text))
	switch {
	case p.handle >= 0:
		return nil
	case p.handle == statusQuota:
		return fmt.Errorf("path %s: there are too many paths", p.text)
	}
	return fmt.Errorf("path %s: this is not the path of a field", p.text)
}

func (p *FieldPath) use() uint32 {
	if p.handle < 0 {
		panic("informerd: path " + p.text + " is used before Configure, or was declared too late")
	}
	return uint32(p.handle)
}

// Kind is the JSON type of a value.
type Kind uint32

// The kinds.
const (
	Missing Kind = iota
	Null
	Boolean
	Number
	String
	Array
	Map
)

// Value is a field's value.
type Value struct {
	Kind Kind
	// Text is a string decoded, and any other value as its JSON text.
	Text string
}

// Exists is true if the field is there, be it null.
func (v Value) Exists() bool { return v.Kind != Missing }

// String gives a string, "" for any other value.
func (v Value) String() string {
	if v.Kind != String {
		return ""
	}
	return v.Text
}

// Bool is true only for the value true.
func (v Value) Bool() bool { return v.Kind == Boolean && v.Text == "true" }

// Int gives a number that is an integer.
func (v Value) Int() (n int64, ok bool) {
	if v.Kind != Number {
		return 0, false
	}
	n, err := strconv.ParseInt(v.Text, 10, 64)
	return n, err == nil
}
