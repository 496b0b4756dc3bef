// Package cloudevent makes CloudEvents 1.0 of what listeners get and puts them into structured
// JSON. [Builder] makes the messages of one listener; [Append] writes a message, [Attributes]
// and [AppendData] the parts of binary mode.
//
// # Attributes
//
//	specversion         1.0
//	id                  see below
//	source              /clusters/<cluster>/listeners/<listener>
//	type                dev.informerd.object.{added,updated,deleted,resynced}, dev.informerd.rule.{violated,resolved},
//	                    or the type a handler chose
//	subject             <resource>.<group>/<namespace>/<name>; pods/default/web-1 in the core group, nodes//n1 if
//	                    cluster-scoped
//	time                when the change was observed, RFC 3339 in UTC, with fractions of a second
//	datacontenttype     application/json; only with data
//	op                  add, update, delete or resync; left out if a rule reports because time has passed
//	resourceversion     of the object
//	oldresourceversion  of the state before; updates only
//	uid                 of the object
//	initial             true for the first list, else left out
//	finalstateunknown   true if the delete was missed and the object is its last known state, else left out
//	missed              how many earlier events of the object were coalesced away, left out if none
//	resumed             true for what happened while informerd was away or could not watch, else left out
//	rule, severity      of the rule that reports
//	handler             the SHA-256 of a handler's module, if that made the data of an event with one of informerd's own
//	                    types
//	data                {"object":…} or, for an update, {"object":…,"old":…}, or what a handler emitted;
//	                    {"rule":…,"severity":…,"message":…,"since":…,"object":…} if a rule reports, with
//	                    "repeated":true if it is not the first report
//
// The names in source and subject are percent-encoded as segments of a URI path, so that a subject
// always has exactly two slashes. Attributes that would be empty are left out.
//
// # The id
//
// The id of an object's event names the object's state, and never the op: if a state is reported
// twice, as an update and, after a restart, as an add, both messages have one id and a receiver can
// drop the second. A resync therefore has the id of the event that reported its state before. It is
//
//	hex(sha256(n(cluster) n(resource) n(namespace) n(name) n(uid) n(resourceVersion) n(state))[:16])
//
// where resource is as in subject before encoding, state is "present" or, for a delete, "absent",
// and n(s) is s as a netstring: its length in bytes in decimal, a colon, s, a comma. An event that
// a handler emitted has
//
//	hex(sha256(n(id of the state) n(listener) n(type) n(index))[:16])
//
// with index counting from 0 what the handler emitted for this one event. It is the same again when
// the event is retried, and differs from the id of every other event. A rule's report has
//
//	hex(sha256(n(cluster) n(resource) n(namespace) n(name) n(uid) n(listener) n(type) n(rule) n(since))[:16])
//
// with since as in data, followed by n(n) for the n-th repeat. It identifies the violation and not
// the object's state: a report that a receiver has not taken is offered again, perhaps with a later
// state, and then has the same id.
//
// # Binary mode
//
// The data is the body, and each attribute a header, as the protocol bindings of CloudEvents say:
//
//	HTTP   ce-<name>, values through HeaderValue; datacontenttype is Content-Type
//	NATS   ce-<name>, values through HeaderValue; datacontenttype is ce-datacontenttype
//	Kafka  ce_<name>, values in UTF-8; datacontenttype is content-type
//
// The names of objects in source and subject are percent-encoded already, so that HeaderValue
// encodes their percent signs once more; receivers undo that when they read the header.
//
// # What is promised
//
//   - Append never writes a line break, so a message is one line. The texts of objects are copied
//     and not decoded; line breaks between their tokens are left out.
//   - Append writes valid JSON in valid UTF-8, whatever bytes the names of the cluster, the
//     listener and the object have.
//   - Append allocates nothing if dst has room.
//   - Binary mode carries what structured JSON carries, to the byte of the data.
//   - HeaderValue returns printable ASCII: no value ends a header's line.
//   - Nothing here keeps or changes what it is given. A Builder is safe for concurrent use.
package cloudevent
