// Package reader reads one Kubernetes object at a time. A [Reader] checks the text, finds the
// fields of the header, and notes what to cut out and what a Secret hides, in one pass; an [Output]
// is the text that becomes of it. A Reader remembers the bases of objects it has read and chooses
// one to read the next object against.
//
//   - What was read before never changes what is made of a text, only how fast, and in which form.
//   - No base outlives the last object that refers to it, except for the one used last.
//   - Nothing of a Secret's values is remembered.
package reader
