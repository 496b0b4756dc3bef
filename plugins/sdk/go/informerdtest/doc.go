// Package informerdtest runs a handler natively, without WebAssembly, so that go test and debuggers
// work on it. It is a small fake of the real host: one guest at a time, everything granted, no
// deadline.
//
//	func TestHandler(t *testing.T) {
//		g := informerdtest.Start(t, `{}`)
//		if r := g.Add(`{"status":{"phase":"Failed"}}`); r.Verdict != informerd.Done || len(r.Emitted) != 0 {
//			t.Errorf("got %+v", r)
//		}
//	}
//
// Everything else that a handler uses belongs to a Host, which a test fills before it starts the
// handler in it:
//
//	func TestInHost(t *testing.T) {
//		var h informerdtest.Host
//		h.SetObjects("deployments", `{"metadata":{"namespace":"shop","name":"web"}}`)
//		h.Answer("POST", "https://hooks.example.com/x", informerdtest.Answer{Status: 204})
//		g := h.Start(t, `{}`)
//		results := g.Batch(informerdtest.Event{Object: `{"status":{"phase":"Failed"}}`}, informerdtest.Event{Object: `{}`})
//		h.Advance(time.Hour)
//		if kept, ok := h.Value("key"); ok || len(h.Requests()) > 0 || results[1].Verdict != informerd.Drop {
//			t.Errorf("got %+v, %q, %v", results, kept, h.Requests())
//		}
//	}
//
// The guest's variables are those of the test's process, so a new guest sees what an earlier one
// left in them. A test that uses this package must not run in parallel with another one.
package informerdtest
