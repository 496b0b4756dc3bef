// Package scope says why an informer does not watch an object of its resource, as far as that is
// known without an API server.
package scope
