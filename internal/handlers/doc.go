// Package handlers reads what a handler is loaded from: its module, its limits, and its rights with
// the values of headers, as a listener of a configuration has them.
//
//   - A module is a regular file, not longer than limits.module, and has the digest that the
//     configuration wants, if it wants one.
//   - Mistakes are reported at their places in the configuration, and do not show values.
//   - A handler on trial is read in the same way. Without network the values of headers are not
//     read, since no request has them.
package handlers
