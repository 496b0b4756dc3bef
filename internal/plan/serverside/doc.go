// Package serverside tells which conditions an API server can check, so that it sends less: as the
// namespaces and selectors of an informer.
package serverside
