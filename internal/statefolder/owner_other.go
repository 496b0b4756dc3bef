//go:build !unix

package statefolder

import "io/fs"

func ownerOf(fs.FileInfo) (user int, known bool) { return 0, false }
