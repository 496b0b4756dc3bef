// Package event is what a listener receives: an Event says what happened to an object (Op), and
// holds the object and, for an update, the state before. An Event is passed by value, its objects
// are immutable. It is a leaf but for package object, whose Key it shares.
package event
