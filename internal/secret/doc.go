// Package secret reads configured secrets: [Value] is a text, the name of an environment variable,
// or the path of a file, and [TLS] makes the TLS side of connections from files.
//
//   - A file is read again when it has changed, within a second, without a restart, also when a link
//     in its path leads elsewhere. What is not a regular file, or is too large, is refused.
//   - A file that cannot be read is an error that has its path. Its earlier text is not used any
//     longer: it may have been withdrawn.
//   - A variable that is not set, an empty file or variable, and more than 16 KiB are errors.
//   - A Value never shows its text to fmt, log/slog and encoding/json. Nor do errors.
//   - What becomes a header is read with Header, which refuses control characters.
//
// Of TLS:
//
//   - A connection that is made after a change uses the new files. While certificate and key do not
//     fit each other, or a file cannot be used, the last good ones stay in use; TLS.Problem returns
//     what is wrong, and errors of handshakes have it.
//   - A CA file takes the place of the system's CAs.
//   - A handshake ends within ten seconds.
//   - TLS is of version 1.2 at least, and certificates are always verified.
package secret
