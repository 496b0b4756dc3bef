// Package rights knows which rights a configuration needs at the API server, and whether it has
// them. It changes nothing there.
//
//   - [Needs] lists what a configuration needs, and who needs it. An informer lists and watches,
//     in each of its namespaces, and only the one object that its fieldSelector may name. An
//     informer that nobody uses needs nothing.
//   - [Merge] makes the rules of as few Roles as possible of them, that grant these rights and no
//     others, in an order that does not depend on that of the configuration.
//   - [Manifests] adds the service account and the bindings.
//   - An [Offline] finder knows resources by what every cluster has and by names with a group, and
//     notes what it cannot know.
//   - [Access] tries before anything runs what informers will do, since that finds wrong selectors
//     too, and asks for what outputs and an election will do.
//   - A [Checker] asks for them while a daemon runs: for each right once, for one that is missing
//     every few seconds until it is granted, and again when the API server has refused something.
//     Who lacks a right is named with the rule, ready to be pasted.
package rights
