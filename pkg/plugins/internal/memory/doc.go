// Package memory is the linear memory of guests: reserved as a range of addresses, and grown in
// place. It lies outside of Go's heap where the system can do that. A Linear is given back when its
// guest is closed, but not under a running call.
package memory
