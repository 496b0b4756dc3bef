// Package starts measures what a start of informerd with many listeners costs beyond reading and
// checking its configuration. Each listener has a select, a filter and two outputs, and shares its
// informer with the others, of which no object matches.
package starts
