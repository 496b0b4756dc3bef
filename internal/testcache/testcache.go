// Package testcache keeps tests away from the cache of compiled handlers of the user who runs them.
package testcache

import (
	"os"
	"path/filepath"
)

// Use makes a new folder the user's cache, for this process and those it starts. Go's own cache stays
// where it is: without it, a handler in Go takes a minute to build. Call remove when all tests have
// run.
func Use() (remove func()) {
	if dir, err := os.UserCacheDir(); err == nil && os.Getenv("GOCACHE") == "" {
		if err := os.Setenv("GOCACHE", filepath.Join(dir, "go-build")); err != nil {
			panic(err)
		}
	}
	folder, err := os.MkdirTemp("", "informerd-cache-")
	if err != nil {
		panic(err)
	}
	if err := os.Setenv("XDG_CACHE_HOME", folder); err != nil {
		panic(err)
	}
	return func() { _ = os.RemoveAll(folder) }
}
