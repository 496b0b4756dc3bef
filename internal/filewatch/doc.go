// Package filewatch reports that the content of files has changed. A [Watcher] has a set of paths
// and patterns.
//
// What is promised:
//   - A change is reported once, when the files have not changed for a moment, or after a few
//     seconds of changes without a pause.
//   - Files are compared by content: writing the same text again is no change.
//   - At most 64 MiB of a file are compared. Beyond, its size and time are.
//   - What is not a regular file is missing: nobody waits for a pipe, or reads a device.
//   - A file that appears or vanishes has changed, as has one that a pattern begins to match.
//   - A symbolic link is followed. That another file takes the place of its target, as in the
//     folder of a mounted ConfigMap, is a change.
//   - Changes that the operating system does not report are found within half a minute.
//   - Run ends with its ctx, and leaves no goroutine and no open file.
package filewatch
