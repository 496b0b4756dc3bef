// Package freshfile reads files that others replace while the program runs, such as mounted
// Secrets.
//
// What is promised:
//   - A file is read again when it has changed, also when a link in its path leads elsewhere now.
//     It is looked at once a second at most.
//   - A file that cannot be read is an error until it can be read again, without its earlier
//     content.
//   - What is not a regular file, or is larger than the bound, is refused without reading it all.
//   - Errors have the path and the reason, and nothing of the content.
package freshfile
