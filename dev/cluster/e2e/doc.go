// Package e2e tests the built devcluster from outside, as its users run it.
//
// It contains only tests, which need the program: build it with build.sh and set DEVCLUSTER_BIN to
// its path.
package e2e
