package hostfunc

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

// EmitRules bound what a guest may emit for one event.
type EmitRules struct {
	Kinds []abi.EmitKind // nil is all of them
	Types []string       // none is all of them
	Count int
	Bytes int64
}

// CheckEmitType returns what is wrong with one of Rules.Types.
func CheckEmitType(typ string) error {
	switch {
	case !validType(typ):
		return fmt.Errorf("it must be 1 to %d printable ASCII characters without spaces",
			abi.MaxEventType)
	case strings.Contains(typ, "*"):
		return errors.New("it has a * in it: " +
			"end it in a dot, as in com.example., for all types that begin so")
	case reserved(typ):
		return errors.New("it is reserved for informerd")
	}
	return nil
}

func reserved(typ string) bool {
	return slices.ContainsFunc(abi.ReservedTypes, func(r string) bool {
		return strings.HasPrefix(typ, r)
	})
}

func (r *EmitRules) allowsKind(kind abi.EmitKind) bool {
	return r.Kinds == nil || slices.Contains(r.Kinds, kind)
}

func (r *EmitRules) allowsType(typ string) bool {
	return len(r.Types) == 0 || slices.ContainsFunc(r.Types, func(allowed string) bool {
		return coversType(allowed, typ)
	})
}

// coversType reports whether an allowed type is a type, or a prefix of it that ends in a dot.
func coversType(allowed, typ string) bool {
	return typ == allowed || strings.HasSuffix(allowed, ".") && strings.HasPrefix(typ, allowed)
}

// denial returns why an emission was denied.
func (r *EmitRules) denial(kind abi.EmitKind, text []byte) error {
	if !r.allowsKind(kind) {
		return fmt.Errorf("the grant emit does not allow the kind %s", kind)
	}
	if typ, _, err := ParseEvent(text); err == nil && reserved(typ) {
		return errors.New("its type is reserved for informerd")
	}
	return errors.New("the grant emit does not allow its type")
}
