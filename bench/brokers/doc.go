// Package brokers measures how many messages a second the outputs to NATS JetStream and to Kafka
// deliver, as a share of what the brokers' own clients reach with the same events.
//
// The output gets messages about pods of 2 KB, as informers keep them, and makes CloudEvents of
// them. The messages go through an outbox, as those of a listener do: with lanes, acknowledgements,
// and as many Writes at the same time, and messages in each, as the output asks for. The client
// sends the same bytes with the same headers in its fastest way: asynchronously, with many messages
// on their way, and waits for all acknowledgements in the end. It is measured twice: making each
// CloudEvent before it is sent, which is what the output is judged by (at least 70 percent, Least),
// and with the bytes made before the clock starts, so that nothing but the client is measured.
//
// The servers are NATS with a stream in memory, and franz-go's fake brokers, which are much faster
// than real ones. They are in the same process and cost all sides the same. The sides alternate,
// and a figure is the median of the rounds.
package brokers
