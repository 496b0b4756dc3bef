// Package kube connects to one Kubernetes API server and finds its resources. It reads addresses
// and credentials from kubeconfig files or the cluster that the process runs in. Nothing here runs
// in the background, and every call ends with its context.
//
// # Connections
//
//   - [RESTConfig] finds the server in a fixed order: the kubeconfig that is passed, or else the
//     cluster the process runs in, $KUBECONFIG, ~/.kube/config. A kubeconfig that is passed is the
//     only one read. Errors name the file, and its contexts if the requested one is missing.
//   - By default RESTConfig asks for compressed answers where the connection to the server may be
//     slow, and for plain ones in the same cluster and on a loopback address. All clients of the
//     configuration do so.
//
// # Resources
//
//   - A [Resolver] finds a resource by any name that kubectl knows: plural, singular, kind or short
//     name, with or without version and group. Of several it takes the core group's, or else that
//     of the group the server lists first, in the version the group prefers, among those that can
//     be watched.
//   - Results are cached: one answer of the server serves all calls, also concurrent ones, until
//     [Resolver.Invalidate]. A name that a cached answer does not have is looked up once more in a
//     new one, so that a resource that appears later is found.
//   - [Resolver.OpenAPI] returns the document with the schemas of a group version, custom resources
//     included, as the server has it: bounded in size and time, requested once, and cached until
//     Invalidate.
//   - A group that the server cannot describe at the moment hides nothing but itself.
//   - A Resolver does not wait before it asks again: when the server wants that (Retry-After) is in
//     the error.
//
// # Requests of outputs
//
//   - A [Writer] sends each request once. Names of objects cannot lead to another path, answers are
//     bounded in size, and errors have the delay that the server asked for.
//   - It sends nothing that its fence refuses, however long it has connected, and gives up what is
//     not answered when the fence is cut. An answer counts in any case.
//
// # Access
//
// [Access] says who may read a path, by tokens and rights.
//
// # Errors
//
// All of them name the server:
//
//   - [UnreachableError]: no usable answer; try again later.
//   - [UnknownResourceError]: there is no such resource at present.
//   - [UnwatchableError]: there is one, and it cannot be watched.
//   - [UnpublishedSchemaError]: the server has no document of the schema.
package kube
