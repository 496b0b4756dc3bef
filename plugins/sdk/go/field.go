package informerd

import (
	"strconv"

	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// FieldPath is the way to a field, such as metadata.labels["app"] or spec.containers[0].image. It
// reads objects of events and of caches alike.
type FieldPath struct {
	path   string
	handle int32
	ahead  int    // where aheadBuffer has its entry, 0 if it has none
	last   string // the text that was read last, if it is short
}

var (
	declared    []*FieldPath // with Path
	configuring bool
)

// What configure does about paths. It is set when one is made, so that a guest without any does not
// import what it takes.
var compileDeclared, giveAhead func() error

func linkPaths() { compileDeclared, giveAhead = compileAll, prefetchCompiled }

// Path declares a path, for a package-level variable. It is compiled when the guest is configured,
// and a mistake in it refuses the handler at load.
func Path(text string) *FieldPath {
	linkPaths()
	p := &FieldPath{path: text, handle: -1}
	declared = append(declared, p)
	return p
}

// Compile compiles a path that is known only from the configuration. Only Handler.Configure may
// call it.
func Compile(text string) (*FieldPath, error) {
	linkPaths()
	p := &FieldPath{path: text, handle: -1}
	if !configuring {
		return nil, &callError{"path " + text + ": paths can be compiled in Configure only",
			ErrWrongPhase}
	}
	return p, p.compile()
}

// String gives the path's text.
func (p *FieldPath) String() string { return p.path }

func compileAll() error {
	for _, p := range declared {
		if err := p.compile(); err != nil {
			return err
		}
	}
	return nil
}

func (p *FieldPath) compile() error {
	p.handle, p.ahead = host.EventPath(p.path), 0
	if p.handle >= 0 {
		compiled = append(compiled, p)
		return nil
	}
	err := statusError(p.handle)
	if err == ErrQuota {
		return &callError{"path " + p.path + ": there are too many paths", err}
	}
	return &callError{"path " + p.path + ": this is not the path of a field", err}
}

func (p *FieldPath) use() uint32 {
	if p.handle < 0 {
		panic("informerd: path " + p.path + " is used before Configure, or was declared too late")
	}
	return uint32(p.handle)
}

// lastSize is how long a text may be to be remembered.
const lastSize = 64

// text makes a string of a text. Most fields that are worth reading, such as a phase, are the same
// again and again.
func (p *FieldPath) text(b []byte) string {
	if string(b) == p.last {
		return p.last
	}
	s := string(b)
	if len(s) <= lastSize {
		p.last = s
	}
	return s
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
