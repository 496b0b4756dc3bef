// Package informertest is what the tests of the informer and of its internal packages share:
// objects, events written as text, and a disk with faults. Only tests import it.
package informertest
