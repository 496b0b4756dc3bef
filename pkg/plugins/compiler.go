package plugins

import (
	"context"
	"io"
	"os"
	"runtime"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/informerd/informerd/pkg/plugins/internal/child"
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
		os.Exit(ServeCompiler(os.Stdin, os.Stdout))
	}
	compilerServed.Store(true)
}

// SelfCompiler is a command for HostConfig.Compiler: this program. It is nil if the program has not
// called CompilerMain, since the command would do something else then.
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

// ServeCompiler compiles the module that a Host sends to its standard input, within the limits that
// are sent with it. It limits the whole process. The result is the exit code.
func ServeCompiler(in io.Reader, out io.Writer) int {
	return child.Serve(in, out, compileTo)
}

// compileTo compiles a rewritten module into a folder.
func compileTo(dir string, wasm []byte) error {
	ctx := context.Background()
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return err
	}
	// Nothing is closed: the process ends.
	_, err = wazero.NewRuntimeWithConfig(ctx, runtimeConfig(cache)).CompileModule(ctx, wasm)
	return err
}

// readOnly has the engine read compiled code, and fail where it would compile: with several workers
// it looks at the context before it begins.
func readOnly(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancel(experimental.WithCompilationWorkers(ctx, 2))
	cancel()
	return ctx
}
