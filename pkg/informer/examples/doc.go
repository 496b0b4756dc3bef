// Package examples has programs that use package informer as a library, one in each folder. Each
// shows a few things and does something that a cluster's operator could want. Their test runs them
// against a real control plane.
//
//	go run ./pkg/informer/examples/rollouts --kubeconfig ~/.kube/config
//
// # What they show
//
//   - rollouts: objects decoded into client-go's types, and a handler that is called again on
//     errors.
//   - nodes: an index, a lister, and fields read without decoding.
//   - certificates: a worker that takes events itself and asks for an object again; data of
//     Secrets.
//   - visitors: subscriptions that come and go, conditions, and an index added to a running
//     informer.
package examples
