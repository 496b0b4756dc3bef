// Package outbound connects informerd to addresses that a configuration allows, and to no others.
// A [Client] makes the HTTP requests of a handler's grant: it is between a program that is not
// trusted and the network. A [Dialer] connects outputs.
//
// What is promised for a grant:
//   - A request goes where one of the grant's URL prefixes leads: the same scheme, host and port,
//     and a path below the prefix's. Paths that a server may read in two ways (dot segments,
//     encoded slashes, backslashes, in any depth of encoding) are refused, as are URLs with a user
//     name.
//   - The address is checked when a connection is made to it, so that no name can lead elsewhere.
//     Loopback, link-local, multicast and unspecified addresses and those of metadata services are
//     refused, in all their IPv6 forms as well, unless the prefix names the very address; a name
//     that resolves to it is not enough.
//   - A private address, such as a cluster's, is reached by a name with https, which says who the
//     server is, or if the grant is for private addresses. The API server is never reached: at
//     $KUBERNETES_SERVICE_HOST, where the process itself reached one, and where one says it is
//     (loopback addresses are only refused as above).
//   - A redirect is followed if it stays with the scheme, host and port and within the grant, three
//     times at most. Any other is given back as the answer it is.
//   - The grant's own headers go with every request and take the place of those of the same name. A
//     header cannot smuggle in another one, nor change how the message is framed.
//   - What is sent and what is read is bounded, answers are never decompressed, and no proxy is
//     taken from the environment. TLS is of version 1.2 at least.
//   - Errors never hold the URL, the headers or the body: they are the program's, and may come from
//     an object.
//
// What is promised for an output:
//   - The address is checked when a connection is made, as for a grant. Loopback, link-local,
//     multicast, unspecified and metadata addresses and that of the API server are refused, unless
//     the configuration has the very address, or localhost for loopback ones. Private addresses are
//     reached, also by names.
//   - ParseURL refuses hosts that libraries may read in different ways, and user names; its errors
//     never hold the URL.
//   - A Transport takes no proxy from the environment, decompresses nothing, and bounds the head of
//     an answer to 64 KiB.
//
// A NAT64 gateway with a prefix of its own network's is not recognized; the well-known prefixes
// are.
package outbound
