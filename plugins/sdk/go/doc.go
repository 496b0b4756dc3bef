// Package informerd is the Go SDK for informerd's WebAssembly handlers. A handler is a main package
// that registers itself and is built with the standard toolchain:
//
//	package main
//
//	import "github.com/informerd/informerd/plugins/sdk/go"
//
//	var phase = informerd.Path("status.phase")
//
//	func init() {
//		informerd.Register(informerd.Handler{OnEvent: func(e *informerd.Event) informerd.Verdict {
//			if e.Object.String(phase) != "Failed" {
//				return informerd.Drop
//			}
//			return informerd.Done
//		}})
//	}
//
//	func main() {}
//
//	GOOS=wasip1 GOARCH=wasm go build -trimpath -buildmode=c-shared -o handler.wasm .
//
// A handler reads the fields it needs through the host, which finds them in the object's JSON text;
// decoding a whole object with encoding/json takes a guest a thousand times as long. Prefetched
// fields need no host call at all; see [Prefetch]. Everything runs on one thread, one event after
// the other. Each worker of a listener has its own instance with its own variables. An instance
// that panics or is too slow is replaced by a new one, so variables are only a cache; use [KVSet]
// for data that must be kept. Goroutines and the garbage collector get a turn every 32 events.
//
// # Grants
//
// A module asks for what it imports, and it imports the functions that its handler calls. [Log]
// needs the grant "log", [KVGet], [KVSet], [KVDelete] and [KVCAS] need "kv", [HTTP] "http", [Cache]
// "cache", [Now] "clock" and [Random] "random". OnEvent looks up an owner like this, where
// Configure has set deployments to the result of informerd.Cache("deployments"):
//
//	o, err := deployments.Get(e.Object.String(namespace), e.Object.String(owner))
//	if err != nil && !errors.Is(err, informerd.ErrNotFound) {
//		return e.Fail(err.Error())
//	}
//	team := o.String(team) // "" if there is no such object
//
// A call that the host does not carry out returns an error that wraps one of ErrNotFound,
// ErrBadArgument, ErrDenied, ErrQuota, ErrUnavailable and ErrWrongPhase.
//
// # Batches
//
// A handler that takes batches imports package batch and registers itself there.
//
// # Tests
//
// Built for a platform other than wasip1, as by go test, the package runs against the fake host of
// package informerdtest.
package informerd
