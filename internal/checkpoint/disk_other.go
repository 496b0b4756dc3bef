//go:build !unix

package checkpoint

import "os"

// tryLock does nothing: two processes must not use one folder here.
func tryLock(*os.File) error { return nil }

// syncDir does nothing: folders cannot be synced here.
func syncDir(string) error { return nil }
