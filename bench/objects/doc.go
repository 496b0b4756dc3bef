// Package objects makes Kubernetes objects as an API server writes them: compact JSON, managedFields
// included, members in the order of the API types for built-in kinds and in alphabetical order for
// custom resources. The same arguments always give the same bytes, so a benchmark can be repeated and
// its figures compared.
//
// Objects belong to workloads: the replicas of one share nearly all of their text. Each object has any
// number of later states (Revision), which differ from the object as created only in what such an
// object's controllers write all the time.
package objects
