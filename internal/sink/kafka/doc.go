// Package kafka is the output that produces CloudEvents to a topic of Kafka, with franz-go. A
// record's value is structured JSON, and its headers are content-type and ce_id. Its key is
// <resource>/<namespace>/<name>, so that an object stays in one partition; where informerd watches
// several clusters, it begins with <cluster>/.
//
// In addition to what every [sink.Sink] promises:
//   - A message was taken when all in-sync replicas have it. The producer is idempotent: what it
//     sends again itself is in the topic once.
//   - Each broker has one produce request at a time. What comes meanwhile is in the next one.
//   - An error means that the message is not on its way any more, except where the error says that
//     it may still be produced: then no broker has answered, and the client cannot know.
//   - A message whose fate is unknown is not sent a second time: when it is written again, or the
//     next one of the same listener and object is, Write waits for the answer first. So there is no
//     older message behind a newer one, while the process lives. A retry is a duplicate only where
//     a broker has stored a message and answered with an error.
//   - A message that the broker refuses fails alone. What was refused together with it is sent
//     again on its own.
//   - A message that is too large, a topic with an invalid name, and what the broker does not
//     support are permanent errors. Everything else is worth a retry: an unknown topic, too few
//     replicas, failed authentication, missing permissions.
//   - What the fence refuses is not produced, nor what the client has buffered by then. That waits in
//     the client as for a broker that is away, and fails with the fence's error.
//   - The password, the CA and the certificate are read for each connection.
//   - Close waits for messages whose fate is unknown as well, at most for the timeout.
//
// A topic's data is lost where Kafka loses it, such as with unclean leader election. The key of one
// that watches a single cluster does not have its name: let several of them share no compacted topic.
//
// # Design decisions
//
// franz-go never fails a record of which it does not know whether a broker has it, since its
// sequence numbers would have a gap. So the output remembers what it has in the client, and waits
// for that instead of producing it again.
//
// A broker has one produce request at a time. With five, an answer that resets the producer's
// state can meet a request that the client takes back (1.22.2 and 1.22.3): the partition is then
// not produced to again, until the leader changes. TestFaults met that in 1 of 60 runs. The
// client does so with produce requests up to version 3; later versions bring nothing that is used
// here.
//
// There are two clients: a broker refuses a batch as a whole, and what was refused is sent again
// by a second client, one record at a time.
package kafka
