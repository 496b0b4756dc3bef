// Package testcache keeps tests away from the cache of compiled handlers of the user who runs them.
package testcache

import "os"

// Use makes a new folder the user's cache, for this process and those it starts. Call remove when
// all tests have run.
func Use() (remove func()) {
	folder, err := os.MkdirTemp("", "informerd-cache-")
	if err != nil {
		panic(err)
	}
	if err := os.Setenv("XDG_CACHE_HOME", folder); err != nil {
		panic(err)
	}
	return func() { _ = os.RemoveAll(folder) }
}
