// Package sinktest is for tests of sinks and with sinks. [Run] is the conformance suite that every
// sink passes: a [Target] makes a sink with a [Receiver] that the suite controls, and says which
// cases cannot apply and why. [Log] is what most receivers need, [HTTPTexts] and [Binary] read
// messages in the modes of CloudEvents, and [Each] makes a sink for other tests.
//
// A receiver reports what it has taken as one text for each message, so that the suite can compare
// it to the byte with Target.Text of what was written. In addition to the cases:
//   - The suite passes a copy of the messages and clears it when Write returns, so that the race
//     detector finds a sink that keeps the slice.
//   - Each error must be one short line without the object's text.
//   - A case that leaves a goroutine behind fails.
//   - A case is only skipped with a reason.
package sinktest
