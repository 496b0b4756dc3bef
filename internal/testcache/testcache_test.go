package testcache

import (
	"os"
	"testing"
)

func TestUse(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "/nowhere") // restored after the test
	t.Setenv("GOCACHE", "")
	remove := Use()
	cache := os.Getenv("XDG_CACHE_HOME")
	if info, err := os.Stat(cache); err != nil || !info.IsDir() {
		t.Error(info, err)
	}
	if got := os.Getenv("GOCACHE"); got != "/nowhere/go-build" {
		t.Errorf("Go's cache is %s", got)
	}
	if remove(); exists(cache) {
		t.Errorf("%s still exists", cache)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
