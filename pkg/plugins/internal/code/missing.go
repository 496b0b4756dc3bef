package code

import (
	"fmt"
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// MissingGrantsError says which grants a module needs and is not given.
type MissingGrantsError struct {
	// Import is the first one that needs a grant, and Module the host module it is from.
	Import, Module string
	// Grants are all that are missing, that of the import first.
	Grants []string
}

// Error names the import, and all grants.
func (e *MissingGrantsError) Error() string {
	text := fmt.Sprintf("import %q of module %q: this needs the grant %q, which the configuration does not have",
		e.Import, e.Module, e.Grants[0])
	if more := e.Grants[1:]; len(more) > 0 {
		text += fmt.Sprintf("; nor does it have %q, which other imports need",
			strings.Join(more, ", "))
	}
	return text
}

// addAll adds what else a module needs.
func (e *MissingGrantsError) addAll(r Rules, m *wasmbin.Module) {
	for _, i := range m.Imports {
		grant, needed := abi.Grants[i.Module]
		if needed && !r.Granted(grant) && !slices.Contains(e.Grants, grant) {
			e.Grants = append(e.Grants, grant)
		}
	}
}
