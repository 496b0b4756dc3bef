// Package plan compiles a configuration: [Compile] makes a [Plan] of it, or finds what is wrong
// with its expressions. A plan can be listed. Package daemon applies it.
//
// What is promised:
//   - All mistakes are reported together, as config.Errors, at their places.
//   - Compile reads no file, asks no API server and starts nothing. Nobody changes a plan.
//   - Expressions of an output are checked against the objects of all listeners that use it.
//   - Equal configurations have equal digests of their parts, and each field is in a digest.
//   - What is decided before a listener's buffer refuses nothing that its select, filter and rules
//     would accept.
package plan
