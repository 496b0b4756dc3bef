// Package fleet finds the clusters of a configuration that watches several: those that it names, the
// kubeconfig files of folders, and Secrets of the cluster that informerd belongs to.
//
// What is promised:
//   - [Watch.Run] reports all of them when there is news: a file or a Secret was made, changed or
//     deleted, or there is another configuration.
//   - Nobody has left because a place cannot be read for a while: as long as not all Secrets are
//     known, or a folder is not there, those who were there before are there.
//   - Of two of one name, the first counts: of the configuration, then of folders, then of Secrets. The
//     other is reported as a [Problem], as is a name that no cluster can have.
//   - A kubeconfig of a Secret neither has a program run nor names files, see [kube.Options].
//   - Run leaves no goroutine.
package fleet
