// Package restarts tests restarts of the whole daemon with checkpoints: the daemon is a child
// process that is killed and stopped over and over, at random and at chosen points, while a model
// of an API server in the parent changes objects and fails in each way. It has no other code.
//
// Receivers in the parent keep ledgers of what comes, and fail, too. An oracle that shares no code
// with the daemon compares each message with the history of the server and with what the ledger has
// of its object, by the following:
//
//   - a message has a state that existed, and an update begins at the state that came last;
//   - an object is added when the receiver does not have it, updated and deleted when it does, and
//     nothing comes of what has not changed;
//   - violated and resolved alternate;
//   - after SIGTERM, nothing comes a second time;
//   - after SIGKILL, the daemon may go on from the state before any message that was acknowledged
//     since the last cut that was committed, or shortly before;
//   - the same state has the same id, whatever happened between;
//   - a refused message comes again before anything newer of its object;
//   - there is no list after a restart, unless the server no longer has the version, or has sent
//     something that cannot be read;
//   - SIGTERM ends the process by itself, with success;
//   - once a daemon runs undisturbed, each receiver gets the last state of each object, and the end
//     of what is gone.
//
// Nothing depends on how fast the machine is: time is counted in requests that the child sends one
// after the other, and messages that are sent side by side are acknowledged together.
//
// Four things are allowed around a SIGKILL:
//
//   - of an object that was created shortly before, the end may be missing if a list came instead
//     of the history;
//   - the end may come of an object of which the receiver got nothing, or whose end it has;
//   - what was handed over to an outbox while a cut was being made may come once more;
//   - what rules report may have an earlier state, or only the name, of an object.
//
// A listener without a checkpoint is a control: the oracle must find that it misses ends.
//
// Environment variables:
//
//	STRESS=full           more than 500 kills instead of some
//	STRESS_SEED=N         the choices, as printed by a run; the interleaving differs each time
//	STRESS_LOG=1          the log of each child
package restarts
