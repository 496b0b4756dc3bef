// Package contender has the contenders of the benchmark, by name: informerd as a library and as a
// program, client-go's informers, another program (shell-operator), and a client that reads the
// same bytes and drops them, which is the lower bound.
//
// All of them list and watch one resource of one server, evaluate the same filter for each object
// of the list and each change, and count the matches in a Tally, which shows whether they have done
// the same work. Client-side rate limits are off; everything else has its defaults.
package contender
