// Package rights knows which rights a configuration needs at the API server, and whether it has
// them. It changes nothing there.
//
//   - [Needs] lists what a configuration needs, and who needs it. An informer lists and watches,
//     in each of its namespaces, and only the one object that its fieldSelector may name. An
//     informer that nobody uses needs nothing.
//   - [Home] leaves out what is needed only in other clusters than the one that informerd belongs to.
//   - [Merge] makes the rules of as few Roles as possible of them, that grant these rights and no
//     others, in an order that does not depend on that of the configuration.
//   - [Manifests] adds the service account and the bindings.
//   - A [Finder] asks the API server for resources. Without one it knows those that every cluster
//     has, and others by names with a group, and notes what it cannot know.
//   - [Access] tries before anything runs what informers will do, since that finds wrong selectors
//     too.
//   - A [Guard] tells a request that lacks a right, which may be granted later, from one that is
//     refused for another reason.
package rights
