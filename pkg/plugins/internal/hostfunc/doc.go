// Package hostfunc is what host functions are made of: the call that a function serves, and the
// group it belongs to. Each folder below is one group. A group knows its own state and the Call,
// and no other group.
//
// # How a host function is called
//
//	the guest calls      wazero leaves native code with the context of the call, which is the Caller
//	Func, StateFunc      count the call, end it if the guest's time is up, find the group's state
//	the group's function reads arguments from the stack and the guest's memory through the Call
//
// Functions are bound when the handler is loaded: a call looks nothing up by a name, and calls no
// method of Group.
//
// # A new group
//
//   - Its functions and its grant go into the tables of package abi.
//   - A folder here has its Group, which binds a body to each of these functions.
//   - One line in pkg/plugins/groups.go registers it, and says what of the Spec it gets.
package hostfunc
