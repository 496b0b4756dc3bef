// Package pipeline shows how things are in a running informerd, as informerd status and top do.
//
//   - Text is a table for people: what is wrong comes first, unless another order is asked for.
//   - Nothing in a name or an error can move the cursor, change colors or break a line.
//   - A Screen fits into any terminal, and the selected listener stays in sight.
package pipeline
