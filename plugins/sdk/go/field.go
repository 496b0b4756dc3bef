package informerd

import (
	"strconv"

	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// FieldPath is the compiled path of a field, such as metadata.labels["app"] or
// spec.containers[0].image. It reads the objects of events and of caches alike.
type FieldPath struct {
	path       string
	handle     int32
	prefetchAt int    // offset of its entry in prefetchBuffer, 0 if it has none
	last       string // the string read last, if it was short
}

var (
	declared    []*FieldPath // by Path
	configuring bool
)

// What configure does with paths. They are set once a path is declared or compiled, so that a guest
// without paths does not import the host functions for them.
var compileDeclared, prefetchDefault func() error

func linkPaths() { compileDeclared, prefetchDefault = compileAll, prefetchCompiled }

// Path declares a path, for a package-level variable. It is compiled when the guest is configured;
// a malformed path makes the host reject the handler at load.
func Path(text string) *FieldPath {
	linkPaths()
	p := &FieldPath{path: text, handle: -1}
	declared = append(declared, p)
	return p
}

// Compile compiles a path that is known only once the configuration is read. Only Handler.Configure
// may call it.
func Compile(text string) (*FieldPath, error) {
	linkPaths()
	p := &FieldPath{path: text, handle: -1}
	if !configuring {
		return nil, &callError{"path " + text + ": paths can be compiled in Configure only",
			ErrWrongPhase}
	}
	return p, p.compile()
}

// String returns the path as it was written.
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
	p.handle, p.prefetchAt = host.EventPath(p.path), 0
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

// lastSize is the longest string that a path remembers.
const lastSize = 64

// text converts bytes to a string without allocating if they equal the last one. Most fields worth
// reading, such as a phase, repeat.
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
	// Text is the decoded string, or the JSON text of any other value.
	Text string
}

// Exists reports whether the field is present, null included.
func (v Value) Exists() bool { return v.Kind != Missing }

// String returns the value if it is a string, otherwise "".
func (v Value) String() string {
	if v.Kind != String {
		return ""
	}
	return v.Text
}

// Bool reports whether the value is true.
func (v Value) Bool() bool { return v.Kind == Boolean && v.Text == "true" }

// Int returns the value if it is an integer.
func (v Value) Int() (n int64, ok bool) {
	if v.Kind != Number {
		return 0, false
	}
	n, err := strconv.ParseInt(v.Text, 10, 64)
	return n, err == nil
}
