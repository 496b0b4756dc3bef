// Package eventv1 is the groups informerd/event.v1 and informerd/result.v1: the event at hand, and
// what becomes of it. It is the one group that every guest has. The guest's calls work on its
// State, too: they put events in, and take results out.
package eventv1
