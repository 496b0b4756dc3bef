// Command compiler compiles one module for the tests of package plugins, as a process of its own.
package main

import (
	"os"

	"github.com/informerd/informerd/pkg/plugins/internal/code"
)

func main() { os.Exit(code.Serve(os.Stdin, os.Stdout)) }
