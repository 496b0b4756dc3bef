// Package guest is one running copy of a module: its start, its calls with their deadline and fuel,
// its crash, and its replacement by a fresh one. A Module is what all guests of one loaded handler
// share. After its first error a guest is closed and never called again.
//
// # A call
//
//	Guest.OnEvent       puts the event into the state of package eventv1
//	Guest.guard         begins the deadline, fills the fuel, and makes a crash of what went wrong
//	callstack.Function  runs the guest, which calls host functions and visits package meter
//	Caller.EndEvent     all groups of host functions forget the event
package guest
