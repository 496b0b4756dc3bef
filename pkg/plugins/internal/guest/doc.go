// Package guest is one running copy of a module: its start, its calls with their deadline and fuel,
// its crash, and its replacement by a fresh one. A Module is what all guests of one loaded handler
// share. After its first error a guest is closed and never called again.
//
// # A call
//
//	Guest.OnEvent       puts the event into the state of event.v1
//	Guest.guard         begins the deadline, fills the fuel, and makes a crash of what went wrong
//	GuestFunction.Call  runs the guest, which calls host functions and visits package meter
//	Caller.EndEvent     all groups of host functions forget the event
//
// # Memory
//
// A guest's memory is reserved as a range of addresses, and grown in place (linear.go). It lies
// outside of Go's heap where the system can do that. It is given back when the guest is closed, but
// not under a running call. The engine grows a memory by copying it, with every goroutine stopped:
// 100 ms at 64 MiB, 700 ms at 1 GiB. In a reserved range it is a system call of a microsecond.
//
// # A crash
//
// A Crash (crash.go) has the reason, the cause in one line, and the stack, in which come the lines
// that the guest wrote last and the functions it was in. All texts are of bounded length, and hold
// no control characters.
package guest
