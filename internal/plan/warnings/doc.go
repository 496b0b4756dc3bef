// Package warnings has what is legal in a configuration and probably not meant, as far as that can
// be known without an API server.
package warnings
