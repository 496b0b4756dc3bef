// Package batch is for handlers that take many events at once. A handler that imports it registers
// itself here instead of with informerd.Register, and uses package informerd for everything else.
//
//	package main
//
//	import (
//		informerd "github.com/informerd/informerd/plugins/sdk/go"
//		"github.com/informerd/informerd/plugins/sdk/go/batch"
//	)
//
//	var phase = informerd.Path("status.phase")
//
//	func init() {
//		batch.Register(batch.Handler{OnBatch: func(b *batch.Batch) informerd.Verdict {
//			for e := b.Next(); e != nil; e = b.Next() {
//				if e.Object.String(phase) == "Failed" {
//					e.SetVerdict(informerd.Done)
//				}
//			}
//			return informerd.Drop // the others
//		}})
//	}
//
//	func main() {}
//
// Batches pay off where the handler does something once for many events, such as one HTTP request;
// pulling an event out of a batch costs about as much as receiving it alone. Emitted events, the
// reason for a retry or failure, and the use of grants belong to the event pulled last. If the
// guest crashes, none of the batch's events counts as handled.
//
// The host also passes single events to such a handler. They reach OnBatch as batches of one.
package batch
