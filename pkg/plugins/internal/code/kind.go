package code

import (
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// Kind is how a module receives events.
type Kind uint8

// The kinds.
const (
	Events  Kind = iota // by on_event, and it has no on_batch
	Batches             // by on_batch
	Command             // a WASI command, by its standard input
)

// KindOf returns the kind of a checked module, and whether it has on_event.
func KindOf(m *wasmbin.Module) (k Kind, takesEvents bool) {
	if IsCommand(m) {
		return Command, false
	}
	_, single := m.Export(abi.ExportOnEvent)
	if _, ok := m.Export(abi.ExportOnBatch); ok {
		return Batches, single
	}
	return Events, true
}

// IsCommand reports whether a module is a WASI command and not a guest of the interface.
func IsCommand(m *wasmbin.Module) bool {
	for _, e := range m.Exports {
		switch e.Name {
		case abi.ExportMarker, abi.ExportOnEvent, abi.ExportOnBatch:
			return false
		}
	}
	_, ok := m.Export(abi.ExportStart)
	return ok
}
