// Package stall finds what has come to a halt, by looking at the status again and again.
//
//   - Something has come to a halt if it has something to do, and nothing has come of it for
//     [Limit]. What has nothing to do never has, however long that is so: an idle cluster is no
//     stall.
//   - Look is called about each [Interval], and so finds a stall within a minute of its beginning. A
//     stall ends with the first look after its cause has; that of an informer which lists again and
//     again, once it has not done so for [Limit].
//   - Time that passed without a look does not count beyond two intervals, such as while the machine
//     slept: nothing could go on then.
//   - What follows from another stall of the same listener is left out.
//   - An output that is away for several listeners is one stall.
package stall
