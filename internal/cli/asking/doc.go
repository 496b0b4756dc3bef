// Package asking asks the listeners of a configuration what becomes of objects, and writes their
// answers, as informerd explain does.
//
//   - The objects are those of a file, or one of a cluster.
//   - An error about one object does not keep the others from being explained.
//   - What no listener is for, and errors of the same kind, are named as long as they are few.
package asking
