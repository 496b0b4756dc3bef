// Package webhook is the output that posts CloudEvents to a URL: one in a request, structured or
// binary, or many in a request as a batch. Package httpsink has what an answer means, and when a
// request is worth a retry.
//
// What is promised:
//   - Bodies and headers are those of CloudEvents' HTTP protocol binding 1.0.2.
//   - A request of a batch has at most the configured number of messages, and at most 4 MiB unless
//     one message is larger.
//   - A refused batch is cut until only the messages that the receiver refuses by themselves have
//     failed. The answers 401, 404, 405 and 410 and redirects are about the whole and are not
//     repeated.
//   - Signed requests have the headers of Standard Webhooks, with a signature for each secret. The
//     time in them is that of the attempt.
//   - The id of a signed request begins with the id of its message, and is the same for each
//     attempt and replay. It differs from the ids of what other listeners and outputs send about
//     the same change: receivers drop what has an id that they know. That of a batch is
//     hex(sha256(id LF id LF …)[:16]) of these ids of its messages, in their order, each with a
//     line feed.
//   - Headers of CloudEvents and Standard Webhooks cannot be replaced by configured ones.
package webhook
