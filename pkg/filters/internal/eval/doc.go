// Package eval compiles expressions that were checked, and runs them. [Compile] rewrites the syntax
// tree, so that it reads JSON text, and makes a [Program] of it, which has the code and what it
// refers to by number. An [Evaluator] runs it for one event after another. The functions that the code calls are
// operations: one table has their names, what is known of their results, and what makes them.
//
// # What is promised
//
//   - After warm-up nothing is allocated, unless the expression makes a text or a list.
//   - A field is read once for each event, a field of an item once while a predicate is at that
//     item.
//   - Each operation pays in steps for the time that it takes, before it takes it. No clock is
//     read.
//   - No error has a part of an object in it.
package eval
