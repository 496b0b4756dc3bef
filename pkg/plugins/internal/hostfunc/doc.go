// Package hostfunc is the host functions that guests call, with what such a call works on: the
// guest as its Caller, its deadline, its stack, and its log. Each group of functions is one file:
// event.v1 with result.v1 (event*.go, emit*.go, prefetch.go), cache.v1, clock.v1, config.v1,
// http.v1, kv.v1, log.v1, random.v1, and the part of WASI preview 1 that the runtimes of stock
// toolchains call (wasi*.go). A group knows its own state and the call, and no other group.
//
// # How a host function is called
//
//	the guest calls      wazero leaves native code with the context of the call, which is the Caller
//	plainFunc, stateFunc  count the call, end it if the guest's time is up, find the group's state
//	the group's function reads arguments from the stack and the guest's memory through the call
//
// Functions are bound when the handler is loaded: a call looks nothing up by a name, and calls no
// method of Group.
//
// # A new group
//
//   - Its functions and its grant go into the tables of package abi.
//   - A file here has its Group, which binds a body to each of these functions.
//   - One line in pkg/plugins/groups.go registers it, and says what of the Spec it gets.
//
// WASI is our own and not the engine's, since that one brings files, sockets and real sleeping, and
// this one must not be able to.
package hostfunc
