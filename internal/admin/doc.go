// Package admin is how commands speak to a running informerd: HTTP and JSON over a Unix socket in
// the folder for state. A [Socket] serves the [Functions] of a daemon; a [Client] calls them. The
// commands about dead letters use [DeadLetters], which a client is, and [Local] for a store that no
// daemon uses.
//
// # Promises
//
//   - Only processes of the same user, and root's, are answered.
//   - The socket is there while a daemon serves it, for its owner only. That of a daemon which was
//     killed is replaced, that of one which runs is refused.
//   - A path that is too long for a socket works on Linux, and is refused elsewhere.
//   - Dial returns ErrNotRunning if no daemon serves the socket.
//   - Mistakes in a configuration come through as config.Errors, with their places.
//   - What a daemon of another version cannot do is an error that says so.
//   - A list is streamed. One that was cut off is an error, never a short list.
//   - A list or a replay whose answer does not begin within a minute is given up by the client.
//   - Reloads wait for each other; a second replay at the same time is refused.
//   - A reload goes on if its client leaves; a replay stops.
//   - Without a selection nothing is dropped and nothing is replayed.
//   - Serve ends all requests before it returns.
//
// Who may replay or drop letters is a matter of the machine, so commands do not use the HTTP
// address, which may be off and shows data to those whom Kubernetes lets.
package admin
