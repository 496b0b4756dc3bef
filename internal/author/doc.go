// Package author is the tools for those who write handlers: New begins a project, Inspect shows
// what a module asks for, Run feeds it events, Test runs cases on it, Bench measures it.
//
// What is promised:
//   - Modules run in the real host of package plugins, with the limits and grants that the daemon
//     would give them. Only where something outside is asked for, there is something else: caches
//     have what was given, values in kv.v1 are forgotten in the end, requests are answered by the
//     case or not at all. With RunOptions.Network they are made, within the grant.
//   - A case has the deadline that it would have in the daemon unless it says otherwise; its log
//     has no limit of lines that matters. Cases and events that expect nothing are not silently ok.
//   - Compiled code is kept in the user's cache folder, within bounds.
//   - Nothing of a module, an event or an answer gets to the terminal as it is: what could move the
//     cursor is escaped. JSON that is written is one value a line.
//   - What went wrong in a module is told as part of the result, and ErrFailed is given then. Any
//     other error says why the tool could not do its work; it is a config.Errors if a file is to
//     blame, and a UsageError if the command line is.
//   - New never overwrites a file: it writes to a folder that is empty or not there. Test changes
//     files only if it is to update them, and then adds to events that expect nothing yet. It does
//     not if the module is older than a source in its folder.
package author
