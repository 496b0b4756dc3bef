// Package batch is for handlers that take many events at once: a handler that imports it registers
// itself here in place of informerd.Register, and has everything else from package informerd.
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
// It pays where the handler does something once for many events, such as one request of HTTP:
// pulling an event out of a batch costs about as much as getting it alone. What it emits, its
// reason for a retry or failure and its share of the grants belong to the event that was pulled
// last. If the guest crashes, none of the batch's events counts as handled.
//
// The host gives single events to such a handler, too. They come to OnBatch as batches of one.
package batch
