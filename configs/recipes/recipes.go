// Package recipes has the recipes, one a file, for informerd init.
package recipes

import "embed"

// Files are the recipes.
//
//go:embed *.yaml
var Files embed.FS
