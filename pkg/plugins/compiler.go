package plugins

import (
	"os"
	"runtime"
	"sync/atomic"

	"github.com/informerd/informerd/pkg/plugins/internal/code"
)

// compilerCommand is the one argument of a process that compiles.
const compilerCommand = "compile"

// compilerServed: CompilerMain was called, so that a process of this program with compilerCommand
// compiles.
var compilerServed atomic.Bool

// CompilerMain does not return in a process that SelfCompiler's command started: it compiles one
// module and exits. Elsewhere it makes SelfCompiler work. Call it first in main or in TestMain.
func CompilerMain() {
	if len(os.Args) == 2 && os.Args[1] == compilerCommand {
		os.Exit(code.Serve(os.Stdin, os.Stdout))
	}
	compilerServed.Store(true)
}

// SelfCompiler returns a command for HostConfig.Compiler: this program. It returns nil if the
// program has not called CompilerMain, since the command would do something else then.
func SelfCompiler() []string {
	if !compilerServed.Load() {
		return nil
	}
	if runtime.GOOS == "linux" {
		// this very program, even if its file was replaced
		return []string{"/proc/self/exe", compilerCommand}
	}
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{self, compilerCommand}
}
