// Package informerd is the Go SDK for informerd's WebAssembly handlers. A handler is a main package
// that registers itself and is built with the stock toolchain:
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
// A handler reads the fields it needs through the host, which finds them in the object's text:
// decoding a whole object with encoding/json takes a guest a thousand times as long. Those that the
// host gives ahead take no call at all; see [Prefetch]. Everything runs on one thread, one event
// after the other, and each worker of a listener has an instance with variables of its own. An
// instance that panics or is too slow is replaced by a fresh one, so variables are a cache; what is
// to last is kept with [KVSet]. Goroutines and the garbage collector get a turn every 32 events.
//
// # What takes a grant
//
// A module asks for what it imports, and it imports the functions that its handler calls. [Log]
// takes the grant "log", [KVGet], [KVSet], [KVDelete] and [KVCAS] take "kv", [HTTP] "http", [Cache]
// "cache", [Now] "clock" and [Random] "random". An owner is looked up like this, in OnEvent, with
// deployments from informerd.Cache("deployments") in Configure:
//
//	o, err := deployments.Get(e.Object.String(namespace), e.Object.String(owner))
//	if err != nil && !errors.Is(err, informerd.ErrNotFound) {
//		return e.Fail(err.Error())
//	}
//	team := o.String(team) // "" if there is no such object
//
// What the host does not do is an error that wraps one of ErrNotFound, ErrBadArgument, ErrDenied,
// ErrQuota, ErrUnavailable and ErrWrongPhase.
//
// # Many events at once
//
// A handler that takes batches imports package batch and registers itself there.
//
// # Tests
//
// Built for another platform than wasip1, as by go test, the package runs against the fake host of
// package informerdtest.
package informerd
