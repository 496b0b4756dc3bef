// Package tlsfiles makes the TLS side of connections from files: a CA, and a certificate with its
// key. [Source] reads them again when they change.
//
// What is promised:
//   - A connection that is made after a change uses the new files, without a restart.
//   - While certificate and key do not fit each other, or a file cannot be read or parsed, the last
//     ones that could be used stay in use. Source.Problem returns what is wrong, and errors of
//     handshakes have it.
//   - A CA file takes the place of the system's CAs.
//   - A handshake ends within ten seconds.
//   - TLS is of version 1.2 at least, and certificates are always verified.
//   - Errors have the path of the file and what to do, and nothing of its content.
package tlsfiles
