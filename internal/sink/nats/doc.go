// Package nats is the output that publishes CloudEvents to NATS: to a JetStream stream, which
// confirms each message, or without one. A message is structured JSON, with content-type and ce-id
// in its headers. Messages of one Write are published without waiting for each other.
//
// In addition to what every [sink.Sink] promises:
//   - With a stream, a message was taken when that stream has stored it. A message that is written
//     again, or arrives late from a connection that broke, has the same Nats-Msg-Id: the stream
//     keeps one, within its window for duplicates (two minutes by default).
//   - Without a stream, a message was taken when the server has it: it answered a PING that was
//     sent after it. Who does not subscribe then never gets it, nor does a subscriber that loses
//     its connection: at most once, behind the server.
//   - The id of a message in a stream is its CloudEvent's with a digest of its source, the output
//     and the subject: other listeners and outputs may write the same event to the same stream.
//   - The connection is made again without end, with the servers in turn, and with the credentials
//     and certificates as they are then.
//   - While there is no connection, Write fails after two seconds, and nothing is kept to be sent
//     later.
//   - What the expression for the subject returns is checked: no wildcards, white space, control
//     characters or empty levels, nothing that begins with $ but $KV, no inbox, and at most 512
//     bytes. A name with a dot makes two levels. Other subjects are a permanent error.
//   - What the fence refuses is not published, nor what the client has buffered by then. Before the
//     first message, the connection is made and kept whatever the fence says.
//   - A message that is too large for the server or the stream is a permanent error. Everything
//     else is worth a retry: no stream has the subject, the stream is full, permissions and
//     credentials are missing.
//
// # Design decisions
//
// Nothing is kept for the time after a reconnect: the client would send it when the message has
// been written again, or a newer one has. Write waits two seconds, which covers a restart of a
// server.
//
// Without a stream a PONG confirms what was sent on the same connection: the output counts
// connections and confirms nothing across them.
package nats
