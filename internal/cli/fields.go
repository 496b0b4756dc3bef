package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/plan"
)

// fieldCheck is the flag that selects the schemas with which fields in expressions are checked.
type fieldCheck struct{ from string }

const (
	fieldsBuiltin = "builtin"
	fieldsOff     = "off"
)

func (f *fieldCheck) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.from, "schema", fieldsBuiltin,
		"with what fields in expressions are checked: builtin, the schemas of the common kinds in informerd, or off")
}

// schemas returns nil if fields are not checked.
func (f *fieldCheck) schemas() (plan.Schemas, error) {
	switch f.from {
	case fieldsBuiltin:
		return plan.BuiltinSchemas()
	case fieldsOff:
		return nil, nil
	default:
		return nil, usage(fmt.Errorf("--schema %q: it is builtin or off", f.from))
	}
}

// contextOf returns the command's context, which may be nil.
func contextOf(cmd *cobra.Command) context.Context {
	if ctx := cmd.Context(); ctx != nil {
		return ctx
	}
	return context.Background()
}
