// Package slack is the output that posts one line about each message to an incoming webhook of
// Slack, or of what takes the same requests. Package httpsink has what an answer means, and when a
// request is worth a retry.
//
// The default text of a message is, in this order: data that is a text, or the field text or
// message of data that is an object; the message of the rule that reports; what happened to the
// object. What it is about follows.
//
//	[high] restarts: web-1 restarted 9 times (Pod shop/web-1, prod)
//	[resolved] restarts: web-1 restarted 9 times (Pod shop/web-1, prod)
//	updated (Pod shop/web-1, prod)
//
// What is promised:
//   - In the default text, nothing of an object is read as Slack's markup: &, < and > are escaped.
//     A configured text is posted as it is, but for what notifies a channel, such as <!here>: that
//     is escaped unless Config.Notifies is set.
//   - A text has at most 4,000 characters. A longer one ends in an ellipsis.
//   - A text that is empty, or an expression that fails, is a permanent error.
//   - The error texts that Slack sends with status 200 are errors: those of its limits and of
//     trouble of its own are worth a retry, others are permanent.
//   - Messages are posted one after the other, in their order.
//   - The URL, which is a secret, is in no error.
package slack
