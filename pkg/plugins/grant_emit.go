package plugins

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

// EmitGrant bounds what the guest may emit for one event.
type EmitGrant struct {
	// Kinds are those that it may emit; nil is all of them, an empty list none.
	Kinds []abi.EmitKind
	// Types are those that its events may have: one that ends in a dot allows all that begin with
	// it. Default: all. [abi.ReservedTypes] are always denied.
	Types []string
	Count int   // default 64
	Bytes int64 // of all emissions of one event; default 1 MiB
}

func (g *EmitGrant) setDefaults() {
	setDefault(&g.Count, 64)
	setDefault(&g.Bytes, 1<<20)
}

func (g *EmitGrant) check() error {
	switch {
	case g.Count < 0:
		return fmt.Errorf("count is %d, it must be positive", g.Count)
	case g.Bytes < 0:
		return fmt.Errorf("bytes is %d, it must be positive", g.Bytes)
	}
	for i, kind := range g.Kinds {
		switch {
		case kind != abi.EmitEvent && kind != abi.EmitData:
			return fmt.Errorf("unknown kind %d", kind)
		case slices.Contains(g.Kinds[:i], kind):
			return fmt.Errorf("duplicate kind %s", kind)
		}
	}
	for i, typ := range g.Types {
		if err := CheckEmitType(typ); err != nil {
			return fmt.Errorf("the type %.100q: %w", typ, err)
		}
		if slices.Contains(g.Types[:i], typ) {
			return fmt.Errorf("duplicate type %q", typ)
		}
	}
	return nil
}

// CheckEmitType returns what is wrong with one of an EmitGrant's types.
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

func (g *EmitGrant) allowsKind(kind abi.EmitKind) bool {
	return g.Kinds == nil || slices.Contains(g.Kinds, kind)
}

func (g *EmitGrant) allowsType(typ string) bool {
	return len(g.Types) == 0 || slices.ContainsFunc(g.Types, func(allowed string) bool {
		return typ == allowed || strings.HasSuffix(allowed, ".") && strings.HasPrefix(typ, allowed)
	})
}

// denial returns why an emission was denied.
func (g *EmitGrant) denial(kind abi.EmitKind, text []byte) error {
	if !g.allowsKind(kind) {
		return fmt.Errorf("the grant emit does not allow the kind %s", kind)
	}
	if typ, _, err := parseEvent(text); err == nil && reserved(typ) {
		return errors.New("its type is reserved for informerd")
	}
	return errors.New("the grant emit does not allow its type")
}
