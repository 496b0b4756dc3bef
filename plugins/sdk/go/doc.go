// Package informerd is the Go SDK for informerd's WebAssembly handlers. A handler is a main package that registers
// itself and is built with the stock toolchain:
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
// A handler reads the fields it needs through the host, which finds them in the object's text: decoding a whole object
// with encoding/json takes a guest a thousand times as long. Everything runs on one thread, one event after the other,
// and each worker of a listener has an instance with variables of its own. An instance that panics or is too slow is
// replaced by a fresh one, so variables are a cache and no store.
//
// Built for another platform than wasip1, as by go test, the package runs against the fake host of package informerdtest.
package informerd
