package schema

import (
	_ "embed"
	"fmt"
	"slices"
	"sync"
)

//go:generate make -C ../.. schemas

//go:embed builtin.gz
var packed []byte

// builtin reads the built-in schemas once, on first use.
var builtin = sync.OnceValue(func() (b struct {
	set        *Set
	kubernetes string
	err        error
}) {
	b.set, b.kubernetes, b.err = decode(packed)
	if b.err != nil {
		b.err = fmt.Errorf("the built-in schemas cannot be read: %w", b.err)
	}
	return b
})

// Builtin returns the schemas of the resources that every cluster has.
func Builtin() (*Set, error) {
	b := builtin()
	if b.err != nil {
		return nil, b.err
	}
	return &Set{entries: slices.Clone(b.set.entries)}, nil
}
