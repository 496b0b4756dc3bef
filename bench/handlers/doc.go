// Package handlers compares what one event costs in a WebAssembly handler, in informerd's host and
// in others.
//
// The work is the same everywhere: of a pod of 10 KB, in the form in which informerd keeps it, read
// status.phase and spec.containers[0].image and answer with a number from 0 to 3 that depends on
// both; the tests hold all contenders to what a Go function answers. All use the same wazero and
// have one instance that is called again and again. A deadline is 10 s and is never reached. The
// contenders:
//
//   - native: the Go function, with the reader of fields that informerd's host uses.
//   - informerd: pkg/plugins, with metering and deadline, as handlers always have them. The guests
//     are the smallest in C and in Go, each with its SDK, and one made by hand, without an SDK,
//     that calls the host for each field.
//   - wazero: the same guests on wazero itself, with no more of a host than those guests need; it
//     reads fields as informerd's does. Without a deadline it shows what a call costs at least,
//     with the option WithCloseOnContextDone, and context.WithTimeout for each call, what that way
//     to have a deadline costs.
//   - Extism: its Go SDK, with its timeout. In one guest, in C, the input is the pod's JSON, which
//     it takes eight bytes a call, as Extism's C PDK does, and reads as far as it has to, without
//     checking it. In the other the input is empty, and a host function gives the fields.
//
// Measure runs the contenders in turns, so that a disturbance of the machine meets all of them, and
// takes the best of each. Time is CPU time of the process, so the garbage collector's and that of
// goroutines that a call starts are in it.
//
//	go test -run '^$' -bench . -cpu 1 ./handlers
//	go test -run TestTable -table ../HANDLERS.md ./handlers
package handlers
