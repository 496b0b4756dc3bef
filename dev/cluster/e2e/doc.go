// Package e2e tests the built devcluster from outside, as its users run it.
//
// It has nothing but tests, which need the program: build it with build.sh and give its path in
// DEVCLUSTER_BIN.
package e2e
