// Package reloads tests reloads of the whole daemon under load: a model of an API server in the
// process sends about 1,000 events a second, while the configuration changes over and over, and
// half of what it becomes is invalid. It has no other code.
//
// Changes come by SIGHUP, by command and by a change of the files, as a new file and as another
// target of a ConfigMap's link, in turns. Receivers in the process keep ledgers of what comes, at
// times after a pause, so that there is something waiting when the configuration changes. After
// each reload, the listeners that did not change must have told all that happened until then and
// nothing else, so that a loss or a double is found with the reload that caused it. At the end all
// ledgers must agree with the history of the server, by the following:
//
//   - a listener that did not change has every state of each of its objects once, in order;
//   - what a version of a listener sends satisfies the expressions of this version, and nothing of
//     an object comes from a version after its successor, nor from one that was refused;
//   - an object is added when it is not there, updated when it is, from the state that was sent
//     last or one that the select before has refused, and is in the end where the last select and the last scope want it;
//   - a change of a filter loses nothing that every filter lets through;
//   - violated and resolved alternate, and in the end the last rules' violations are open;
//   - an invalid configuration is refused with the mistakes that validate finds;
//   - goroutines, watches, files, instances of handlers and memory are as many as in the beginning,
//     both while the daemon runs and after it has ended.
//
// Environment variables:
//
//	STRESS=full           500 reloads instead of 25
//	STRESS_SEED=N         the choices, as printed by a run; the interleaving differs each time
package reloads
