// Package informerdtest runs a handler natively, without WebAssembly, so that go test and a debugger work on it. It is a
// small fake of the real host: one guest at a time, no limits, no deadline.
//
//	g := informerdtest.Start(t, `{"threshold": 5}`)
//	r := g.Add(`{"apiVersion":"v1","kind":"Pod",…}`)
//	// r.Verdict, r.Emitted, r.Message
//
// A test that uses it must not run in parallel with another one.
package informerdtest
