// Package throughput measures how many events a second a listener passes on from a full buffer:
// from the subscription through a filter, a handler, the outbox and its senders to an output. It
// works on Linux.
//
// The buffer is an informer.Subscription that is filled before the clock starts, with events about
// pods of 2 KB as an informer stores them. The filter reads two fields and passes all; the handler,
// a WASM module, reads two fields and accepts all. There are as many workers as cores. The outputs
// take everything at once, except for the webhook: it sends batches of CloudEvents to a server in
// the same process, which reads and drops them.
//
// A Bound has no route at all: as many goroutines take the events from the subscription, evaluate
// the filter, and acknowledge them. Nothing that keeps order and acknowledges can be faster. The
// route and its bound alternate, and a figure is the median of the rounds.
package throughput
