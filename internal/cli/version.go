package cli

import (
	"github.com/informerd/informerd/internal/cli/versions"
	"github.com/informerd/informerd/internal/cli/words"
)

// What a build is made of, set by the linker. Date is in seconds since 1970.
var (
	version = versions.Unreleased
	commit  = ""
	date    = ""
)

func thisBuild() versions.Build { return versions.This(version, commit, date) }

// usage marks an error as a mistake on the command line.
func usage(err error) error { return words.Usage(err) }
