package meter

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// Bounds of what Rewrite takes and makes.
const (
	MaxSize = wasmbin.MaxSize // of a module
	maxOut  = 256 << 20       // of a rewritten one
	maxBody = 7 << 20         // of a rewritten function; the engine takes little more
)

// The charges, in units. An instruction costs one.
const (
	bytesPerUnit  = 16 // of a range of the memory
	unitsPerPage  = 64 << 10 / bytesPerUnit
	leave         = 64 // for instructions that leave native code
	smallFunction = 64 // a function this small need not check, if it calls no other one
)

// DefaultPass is far less than a slice, and enough for the checks not to be noticed.
const DefaultPass = 1 << 10

// DefaultMaxTable is the most elements of a table unless options say otherwise.
const DefaultMaxTable = wasmbin.MaxTableElements

// options say how a module is rewritten. The zero value is usable.
type options struct {
	// maxTable is the maximum that tables get which have none or a larger one; default is
	// DefaultMaxTable.
	maxTable uint32
	// pass is how many units are executed on a pass through a function without a check; default is
	// DefaultPass.
	pass uint32
	// piece is how many bytes of a range of the memory are filled or copied between two visits;
	// default is defaultPiece.
	piece uint32
}

func (o options) withDefaults() options {
	o.maxTable = cmp.Or(o.maxTable, DefaultMaxTable)
	o.piece = cmp.Or(o.piece, defaultPiece)
	o.pass = cmp.Or(o.pass, DefaultPass)
	return o
}

// Metered is a module that pays for what it does.
type Metered struct {
	Module []byte
	// Fuel is the name of the exported global that holds the fuel; see Tank.
	Fuel string
}

// The globals that are added.
const (
	fuelName     = "informerd.fuel"
	framesSuffix = ".frames" // behind the name of the fuel
)

// unmeterableError is why a module cannot be rewritten. Most of these modules are invalid, which
// the engine finds too.
type unmeterableError struct {
	// index of the function it was found in, imported ones counted; -1 outside of functions
	Func   int
	Name   string // of that function, if the module has names
	Offset int    // in the file
	Reason string
}

func (e *unmeterableError) Error() string {
	where := ""
	switch {
	case e.Func >= 0 && e.Name != "":
		where = fmt.Sprintf("function %d (%q), ", e.Func, e.Name)
	case e.Func >= 0:
		where = fmt.Sprintf("function %d, ", e.Func)
	}
	return fmt.Sprintf("the module cannot be metered: %soffset %d: %s", where, e.Offset, e.Reason)
}

// unmeterable makes what Rewrite promises of a reader's error, the first one of several.
func unmeterable(err error) error {
	var known *unmeterableError
	var broken *wasmbin.Error
	var cut *wasmbin.CutOff
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &broken):
		return &unmeterableError{Func: -1, Offset: broken.Offset, Reason: broken.Reason}
	case errors.As(err, &cut):
		return &unmeterableError{Func: -1, Reason: cut.Error()}
	}
	return err
}

// Rewrite makes a module that can run only as far as its fuel goes. Its errors have the place.
func Rewrite(file []byte) (Metered, error) { return rewrite(file, options{}) }

func rewrite(file []byte, o options) (Metered, error) {
	m, err := parse(file, o.withDefaults())
	if err != nil {
		return Metered{}, unmeterable(err)
	}
	out, err := m.rewrite()
	if err != nil {
		return Metered{}, unmeterable(err)
	}
	return Metered{Module: out, Fuel: m.fuel}, nil
}
