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
// than real ones. They are in the same process, so both take CPU time from the sides. The sides
// alternate within a round, in both orders, and each begins after a garbage collection. What the
// output is judged by is the ratio of the two within a round: the median, with the lowest and the
// highest next to it, as a machine that others use changes its speed from round to round. The CPU
// time of a message, the server's share included, says the same with less noise.
package brokers
