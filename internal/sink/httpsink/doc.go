// Package httpsink posts requests to the receiver of an output, and turns answers and trouble into
// the errors of package sink. The outputs webhook, slack and alertmanager are made with it.
//
// What is promised:
//   - Post ends within its timeout, whatever the receiver does.
//   - 2xx means taken, unless the body says otherwise as known receivers do (judgeBody has them), as
//     much of it as comes within a second and has at most 64 KiB. So a body that is cut off, or does
//     not end, changes nothing.
//   - 408, 425, 429, 5xx and trouble with the connection before the answer's head has come are worth
//     a retry, and so is a body that says that the receiver has too much to do. Retry-After is
//     honoured up to five minutes, and other answers are permanent.
//   - An answer counts also if the receiver ends the connection before it has read the body.
//   - After 410 nothing is sent for ten minutes: Post fails at once, permanently.
//   - Redirects are not followed, no proxy is taken from the environment, and addresses are checked
//     when a connection is made, as package outbound has it.
//   - At most 64 KiB of an answer's head and of its body are read; nothing is decompressed.
//   - A connection that the server ends before it has answered anything, when it was used before,
//     is no failure: the request is sent again at once, with another one.
//   - Connections are reused, and HTTP/2 is used where TLS allows it. At most 64 requests run at a
//     time.
//   - URL, headers and TLS files are read at each use. If one cannot be read, the request is worth
//     a retry.
//   - Errors have the host and no other part of the URL, and none of the configured values. What
//     the receiver wrote is quoted and bounded.
//   - A request passes the fence with each part that is written: after it has waited, connected and
//     begun, and when it is sent again. One that is cut off ends at once.
//   - Close waits for requests under way. Afterwards, and where one waited for its turn, Post fails
//     with sink.ErrClosed.
package httpsink
