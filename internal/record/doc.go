// Package record is the form in which everything goes into a checkpoint that has to be there after
// a restart: records of an owner, which is a listener or an informer.
//
//   - A [Record] stands in a part of its owner, under a key, and has a value and objects.
//   - A cut is what has changed: a [Writer] takes what there is by now under a key, and what is gone.
//   - A [Set] is what all cuts make together. What a value means is the business of who wrote it.
//   - A value is CBOR. One that cannot be read is an [ErrDamaged], never a panic.
package record
