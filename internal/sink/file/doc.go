// Package file is the output that appends CloudEvents to a file: structured JSON, one event a line.
// The file is renamed when it is large or old enough, and a new one begun. Nothing that the disk
// refuses is given up: every error is worth a retry, so messages wait until there is room.
// [NewStdout] is the output that writes the same lines to a stream.
//
// In addition to what every [sink.Sink] promises:
//   - A line is whole or not there: of a write that stops in the middle, the part is removed.
//   - A part that is there nevertheless, after a crash or because it could not be removed, is ended
//     by a line break before the next line. It is the one sort of line that is not JSON.
//   - With SyncAlways, Write returns when the disk has the lines. One fsync is for all that waits.
//   - A line is in the file twice only if a failed write or sync has left it there and it could not
//     be removed: with SyncAlways any line, otherwise one that lacked only its line break.
//   - The lines of a Write, those that are there twice as well, are before those of its caller's
//     next Write, whatever fails.
//   - With SyncInterval, the disk has the lines a second later. If it fails, the next Write fails.
//   - What the fence refuses is not in the file.
//   - A killed process loses no line that Write has reported as taken, whatever Sync is; SyncAlways
//     is for the power.
//   - A file is renamed before a line that would make it larger than Rotate.Size, or when its first
//     line is older than Rotate.Age and another one comes.
//   - A rotation that fails at any step loses no line, and is tried again with the next one.
//   - A line that is larger than Rotate.Size has a file for itself.
//   - Renamed files have the time in UTC in their name, audit-2026-11-22T21-30-00.000.jsonl, sort
//     by it even if the clock is set back, and never replace a file.
//   - Of the renamed files the newest Rotate.Keep are kept. Only regular files of exactly this
//     pattern are removed.
//   - A file that somebody else has renamed, removed or truncated, as logrotate does, is begun
//     again with the next line.
//   - The file is locked. Another output or process that has it makes Write fail until it is
//     closed.
//   - Only a regular file is written. A folder, named pipe or device is refused, without opening
//     it.
//   - A new file has mode 0600. One that exists keeps its mode and its lines.
//   - A folder that does not exist is not created, since it may be a disk that is not mounted.
//
// A symbolic link at Path is followed once, by New; the file that it names is written, and renamed
// in its own folder. Whoever may write to that folder may replace the file, so it should be nobody
// else's.
//
// No library for log rotation is used. gopkg.in/natefinch/lumberjack, the common one, keeps a part
// of a line when the disk is full, never calls fsync, refuses a line larger than a file, renames
// without a look at what has that name, empties a file that somebody created meanwhile, writes on
// to a file that was moved away, and has a goroutine that never ends.
package file
