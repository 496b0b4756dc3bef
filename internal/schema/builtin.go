package schema

import (
	_ "embed"
	"fmt"
	"sync"
)

//go:generate make -C ../.. schemas

//go:embed builtin.gz
var packed []byte

// builtin reads the built-in schemas once, on first use.
var builtin = sync.OnceValues(func() (*Set, error) {
	set, err := unpack(packed)
	if err != nil {
		return nil, fmt.Errorf("the built-in schemas cannot be read: %w", err)
	}
	return set, nil
})

// Builtin returns the schemas of the resources that every cluster has.
func Builtin() (*Set, error) { return builtin() }
