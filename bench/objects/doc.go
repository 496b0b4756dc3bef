// Package objects makes Kubernetes objects as an API server writes them: compact JSON, members in
// the order of the API types, managedFields included. The same arguments always give the same bytes,
// so a benchmark can be repeated and its figures compared.
package objects
