// Package sink is what route and the outputs agree on: [Sink], the receiver of a listener's
// messages, [Message], one CloudEvent on its way out, and which errors are worth a retry.
// Each kind of output is a package below it; cloudevent makes messages and puts them into JSON.
package sink
