// Package filtertest has what the tests of several packages of filters use: objects, events and
// expressions about which something is known, and the comparison with golden files.
package filtertest
