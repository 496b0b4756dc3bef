// Package objects reads files with Kubernetes objects, as kubectl prints them: one object, a list,
// or several documents, as YAML or JSON.
package objects
