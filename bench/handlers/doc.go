// Package handlers compares the cost of one event in a WebAssembly handler, in informerd's host and
// in others.
//
// The work is always the same: read status.phase and spec.containers[0].image of a pod of 10 KB, in
// the form in which informerd keeps it, and answer with a number from 0 to 3 that depends on both;
// tests compare all answers with those of a Go function. All use the same wazero and call one
// instance repeatedly. A deadline is 10 s and is never reached. The contenders:
//
//   - native: the Go function, with the field reader of informerd's host.
//   - informerd: pkg/plugins, with metering and deadline, as for all handlers. The guests are the
//     smallest in C and in Go, each with its SDK, and one made by hand, without an SDK, that calls
//     the host for each field.
//   - wazero: the same guests on wazero itself, with a minimal host; it reads fields as informerd's
//     does. Without a deadline it shows the minimum cost of a call; with the option
//     WithCloseOnContextDone, and context.WithTimeout for each call, the cost of that kind of
//     deadline.
//   - Extism: its Go SDK, with its timeout. In one guest, in C, the input is the pod's JSON, which
//     it reads eight bytes per call, as Extism's C PDK does, as far as necessary and without
//     validation. In the other the input is empty, and a host function returns the fields.
//
// Measure runs the contenders in turns, so that a disturbance of the machine affects all of them,
// and takes the best of each. Time is CPU time of the process, so it includes the garbage
// collector's and that of goroutines started by a call.
//
//	go test -run '^$' -bench . -cpu 1 ./handlers
//	go test -run TestTable -table ../HANDLERS.md ./handlers
package handlers
