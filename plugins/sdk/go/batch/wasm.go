//go:build wasip1

package batch

import "github.com/informerd/informerd/plugins/sdk/go/internal/host"

// exported is an export of every guest that imports this package, and of no other guest.
//
//go:wasmexport on_batch
func exported(n uint32) int32 { return host.OnBatch(n) }
