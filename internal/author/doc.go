// Package author is the tools for authors of handlers. New starts a project, Inspect shows what a
// module imports, Run feeds it events, Test runs its test cases, and Bench measures it.
//
// # Where modules run
//
//   - Modules run in the real host of package plugins, with the daemon's limits and grants.
//   - Only what is outside of the host is replaced: caches have the objects that were passed,
//     values in kv.v1 are discarded at the end, and requests are not made.
//   - A case has the daemon's deadline unless it sets another; its log is practically unlimited.
//   - Compiled code is cached in the user's cache folder, within bounds.
//
// # Results
//
//   - Cases and events without expectations are never reported as ok.
//   - No text of a module, an event or an answer is written to the terminal unescaped if it could
//     move the cursor. JSON is one value a line.
//   - What went wrong in a module is part of the result, and there is an error as well, which sums
//     it up. Any other error is the tool's own: a config.Errors for a mistake in a file, a UsageError
//     for one on the command line.
//
// # Files
//
//   - New never overwrites a file: the folder must be empty or not exist.
package author
