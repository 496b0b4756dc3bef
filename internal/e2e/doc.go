// Package e2e has end-to-end tests: the scripts in testdata drive the built informerd against the
// built devcluster, a real control plane, and see only what a user sees: exit codes, standard
// output, standard error, and the API server. It has no other code. TestWritingHandlers does the
// same with docs/writing-handlers.md, and TestPages with the blocks of other pages that need a
// cluster. TestRights runs configurations with the rights that informerd rbac prints, and without
// each of them. TestDefaultsAreThoseOfTheAPIServer has the API server complete manifests.
// TestStalls has twelve things come to a halt at once. TestResourcesComeAndGo defines a custom
// resource, again and again. TestNothingIsMissedWhileItIsAway restarts informerd among thousands of
// changes. TestSecretsComeNowhere and TestTextsAreShownAsText look at all that commands, endpoints,
// outputs and files show.
//
// Some run for long, and only with a variable, as make fault sets it: TestTogether, in which everything
// happens at once, with TOGETHER; three loads with LOAD; TestFlood with FLOOD.
//
// The tests need bin/informerd, bin/devcluster and bin/plugins (make devcluster build examples), or
// the programs in the variables INFORMERD_BIN and DEVCLUSTER_BIN. With -short they are skipped.
//
// # Scripts
//
// A script is a txtar archive: commands, then files. It starts with a comment that tells its story.
// All scripts run concurrently on one control plane, each in its own namespace, $NS; those that
// break the control plane start their own with cluster up. $SERVER is the API server's address,
// $PLUGINS the folder of the example guests and $CONFIGS that of the ready configurations; ${NS}
// and ${PLUGINS} are also replaced in the files of the archive. In addition to testscript's own
// commands there are:
//
//	k8s apply FILE…                           create or change the objects in FILE, JSON or YAML
//	k8s patch KIND/NAME[/SUBRESOURCE] JSON    apply a merge patch
//	k8s scale KIND/NAME N
//	k8s delete KIND/NAME
//	k8s get KIND/NAME                         print the object as the API server has it, without managedFields
//	k8s account FILE NAME                     write a kubeconfig with a token of the service account NAME
//	k8s schema GROUP/VERSION                  wait until it is published, which takes a moment for a new resource
//	k8s env VARIABLE KIND/NAME FIELD          put a field into a variable
//	metric [-eventually] NAME LABEL=VALUE… N  a metric of the API server, added up over all other labels, is N
//	fetch FILE NAME PATH                      GET from the informerd NAME, which has http: {address: "127.0.0.1:0"}; the
//	                                          response is then in FILE
//	fetch -eventually FILE NAME PATH REGEXP…  repeat until each of them matches a line or, with ! before it, none
//	receiver VARIABLE FILE                    start a server as webhooks have it, with its URL in VARIABLE, which each
//	                                          informerd has as well; each request is a line of FILE: method, path, body
//	nats VARIABLE                             start a NATS with JetStream, with its URL in VARIABLE
//	guest MODULE FILE                         build a handler of FILE, in Go
//	expect-content FILE REGEXP…               wait until each of them matches a line of FILE
//	cluster up|kill-apiserver|restart-apiserver
//	                                          a control plane of the script's own, in which k8s acts from then on
//	cluster shared|own                        have k8s act in that of all scripts, or in its own
//
//	informerd STATUS ARGUMENT…                run to the end, with this exit status; then stdout, stderr and cmp apply
//	informerd-start [-blocked] NAME ARGUMENT…
//	                                          run in the background; standard output goes to NAME.out and standard
//	                                          error to NAME.err, or with -blocked, output goes to a pipe nobody reads
//	informerd-blocked NAME                    wait until it has filled the pipe that nobody reads
//	informerd-unblock NAME                    read it from now on, into NAME.out
//	informerd-signal NAME TERM|KILL|STOP|CONT
//	informerd-wait NAME STATUS DURATION       it ends with this status, or KILL, within this time,
//	                                          or more on a busy machine
//	informerd-stop NAME                       TERM, and it ends with status 0 within 5 s, or more on a
//	                                          busy machine
//	expect-log NAME REGEXP…                   wait until each of them matches a line of standard error
//	expect-line NAME REGEXP…                  wait until each of them matches a line of standard output, which has no
//	                                          events then
//	allow-log NAME REGEXP…                    lines of standard error may match them
//	no-log NAME REGEXP                        none has matched so far
//
//	expect-event NAME CONDITION…              wait for an event; its attributes but time are then in the file
//	                                          event.attributes, its data in event.data, event.object and event.old
//	event-env VARIABLE FIELD                  put a field of this event into a variable
//	expect-events NAME N CONDITION…           wait for at least N of them
//	count-events NAME N CONDITION…            there have been N so far
//	count-states NAME N CONDITION…            as count-events, plus the states in their attribute missed
//	no-event NAME CONDITION…                  there has been none so far
//	event-gaps NAME MIN MAX CONDITION…        the time between one such event and the next
//	event-span FIELD FIELD MIN MAX            the time from one field of this event to the other
//	event-id VARIABLE PART…                   the id of these parts by its published recipe
//	stdout-env VARIABLE REGEXP                put what its group matches in stdout into a variable
//	hex FILE DIGITS                           write a binary file
//	head FILE N NEW                           copy the first N bytes
//
// A CONDITION is FIELD=VALUE, FIELD~REGEXP or !FIELD (it is missing), with fields such as
// data.object.metadata.name or data.object.status.containerStatuses.0.name. Commands that wait have
// a deadline, and print what there was instead. To check that something does not happen, wait first
// for something that happens later.
//
// Every line on standard output must be a valid CloudEvent, whether a script expects it or not,
// unless it is read by expect-line.
// Every line on standard error at a level other than INFO or DEBUG must match a pattern of
// expect-log or allow-log, or the script fails at its end.
package e2e
