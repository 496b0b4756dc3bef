// Package kube is the way to one Kubernetes API server: its address and credentials, and the
// resources it has.
//
// What is promised:
//   - [RESTConfig] finds the server in a fixed order: the kubeconfig that is named, or else the
//     cluster the process runs in, $KUBECONFIG, ~/.kube/config. A kubeconfig that is named is the
//     only place looked at. Its errors name the file, and the contexts there are if the one asked
//     for is not among them.
//   - Unless it is told, RESTConfig asks for compressed answers where the way to the server may be
//     long, and for plain ones in the own cluster and on a loopback address. What it chose holds
//     for every client of its configuration.
//   - A [Resolver] finds a resource by any name that kubectl knows: plural, singular, kind or short
//     name, with or without version and group. Of several it takes the core group's, else that of
//     the group the server names first, in the version the group prefers, among those that can be
//     watched.
//   - What was found is kept: one answer of the server serves all calls, also concurrent ones,
//     until [Resolver.Invalidate]. A name that is not found in a kept answer is looked up once more
//     in a new one, so that a resource that appears later is found by asking again.
//   - [Resolver.OpenAPI] gives the document that says what the resources of a group version look
//     like, also those of custom resources, as the server has it: bounded in size and time, asked
//     for once, and kept until Invalidate.
//   - A group that the server cannot tell about at the moment hides nothing but itself.
//   - A Resolver waits for nobody: a server that says when to come again (Retry-After) is in the
//     error, for the caller to heed.
//   - Errors tell these cases apart: [UnreachableError], no usable answer, try again later;
//     [UnknownResourceError], there is no such resource at present; [UnwatchableError], there is
//     one and it cannot be watched; [UnpublishedSchemaError], the server has no document of it. All
//     name the server.
//   - Nothing here runs in the background, and every call ends with its context.
package kube
