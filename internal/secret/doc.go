// Package secret holds configured texts that may be secrets: [Value] is a text, the name of an
// environment variable, or the path of a file, and is read at each use.
//
// What is promised:
//   - A file is read again when it has changed, within a second, without a restart. One line break
//     at its end is removed.
//   - A file that cannot be read is an error that has its path. Its earlier text is not used any
//     longer: it may have been withdrawn.
//   - A variable that is not set, an empty file or variable, and more than 16 KiB are errors.
//   - A Value never shows its text to fmt, log/slog and encoding/json. Nor do its
//     errors.
//   - What becomes a header is read with Header, which refuses control characters.
package secret
