// Package outbound makes the HTTP requests that a grant allows, and no others: it stands between a
// program that is not trusted and the network.
//
// What is promised:
//   - A request goes where one of the grant's URL prefixes leads: the same scheme, host and port,
//     and a path below the prefix's. Paths that a server may read in two ways (dot segments,
//     encoded slashes, backslashes, in any depth of encoding) are refused, as are URLs with a user
//     name.
//   - The address is checked when a connection is made to it, so that no name can lead elsewhere.
//     Loopback, link-local, multicast and unspecified addresses and those of metadata services are
//     refused, in all their IPv6 forms as well, unless the prefix names the very address; a name
//     that resolves to it is not enough.
//   - A private address, such as a cluster's, is reached by a name with https, which says who the
//     server is, or if the grant is for private addresses. The address that the process has for the
//     API server of its own cluster, $KUBERNETES_SERVICE_HOST, is never reached.
//   - A redirect is followed if it stays with the scheme, host and port and within the grant, three
//     times at most. Any other is given back as the answer it is.
//   - The grant's own headers go with every request and take the place of those of the same name. A
//     header cannot smuggle in another one, nor change how the message is framed.
//   - What is sent and what is read is bounded, answers are never decompressed, and no proxy is
//     taken from the environment. TLS is of version 1.2 at least.
//   - Errors never hold the URL, the headers or the body: they are the program's, and may come from
//     an object.
//
// A NAT64 gateway with a prefix of its own network's is not recognized; the well-known prefixes
// are.
package outbound
