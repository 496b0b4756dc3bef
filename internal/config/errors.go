package config

import (
	"slices"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/wording"
)

// Error is one mistake in a configuration or a policy file, and Errors are all of them.
type (
	Error  = document.Error
	Errors = document.Errors
)

// maxNotLoaded is how many files without mistakes are named that were not loaded.
const maxNotLoaded = 20

// notLoaded adds an entry that names the policy files without mistakes, of the configuration that
// names them, if there are others as well.
func notLoaded(e Errors, by string, files []string, all int) Errors {
	if len(files) == 0 || len(files) == all {
		return e
	}
	var names []string
	for _, file := range files {
		names = append(names, document.Shown(file))
	}
	return append(e, Error{File: by,
		Message: "not loaded because of that: " + wording.Some(names, maxNotLoaded)})
}

// NotLoaded completes mistakes that were found in the configuration after it was read, such as
// expressions that do not compile: if some are in policy files, a last entry names the policy files
// without mistakes, which cannot be loaded because of the others. As when a configuration is read,
// at most 100 mistakes remain.
func (c *Config) NotLoaded(mistakes Errors) Errors {
	wrong := make(map[string]bool, len(mistakes))
	for _, err := range mistakes {
		wrong[err.File] = true
	}
	var good []string
	for _, p := range c.policies {
		if !wrong[p.File()] {
			good = append(good, p.File())
		}
	}
	return notLoaded(slices.Clone(mistakes).Cut(), c.source.File(), good, len(c.policies))
}
