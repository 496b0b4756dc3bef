// Command informerd watches Kubernetes resources and passes their changes through filters and WASM
// handlers to outputs.
package main

import (
	"os"

	"github.com/informerd/informerd/internal/cli"
	"github.com/informerd/informerd/pkg/plugins"
)

func main() {
	plugins.CompilerMain() // a daemon starts itself to compile handlers
	os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr))
}
