// Package contender holds what the benchmark compares, each under a name: informerd as a library
// and as a program, client-go's informers, another whole program (shell-operator), and a client
// that reads the same bytes and drops them, which is what nobody can be faster than.
//
// All of them list and watch one resource of one server, look with the same filter at each object
// of the list and each change, and count in a Tally what matched, so that it can be checked that
// they have done the same work. Client-side rate limits are off; everything else is as it is by
// default.
package contender
