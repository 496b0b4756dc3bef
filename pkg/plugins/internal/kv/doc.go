// Package kv holds small values for handlers: a table for each listener, in memory, and on request
// in a file as well.
//
// What is promised:
//   - Stores of the same listener share one table for as long as one of them is open, so that a
//     handler finds what the one before it left, also while both are there. Each writes within its
//     own limits.
//   - A value is gone when its time is over, whether it was asked for or not, and then takes no
//     room of the limits.
//   - A write that would leave more keys or bytes than allowed changes nothing, and returns
//     ErrQuota. What is there already is never thrown away for being too much, whether the limits
//     are lower now.
//   - Reading does not allocate, nor does writing a value that is there already.
//   - What is kept in the file is read when a listener's first store is opened, and written a
//     second after a change, all tables in one transaction; also when the last store of a listener
//     is closed. If writing fails, it is reported and tried again, each time after a longer pause,
//     and nothing is forgotten meanwhile.
//   - Stores.Flush writes at once what was stored before, and touches the file only if there is
//     something to write.
//   - The file is read as a whole before it is used: one with damaged values is an error, and is
//     left as it is. It is readable for its owner only, and one process at a time uses it.
//   - All is safe for concurrent use.
package kv
