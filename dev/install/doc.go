// Package install tests how informerd is installed: the Helm chart, the kustomizations, the
// manifest and docs/install.md.
//
//   - What is rendered is what Helm and kubectl render: the test program is both, as a library.
//   - The API server is a real one, with its admission of pods and its controllers. There is no
//     kubelet: the test makes a pod's root, volumes and network as one would, and runs informerd
//     in it, with the pod's own token, arguments and environment.
package install
