package code

import (
	"context"
	"io"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
)

// Serve compiles the module that a Compiler sends to in, within the limits that are sent with it.
// It limits the whole process, and returns its exit code.
func Serve(in io.Reader, out io.Writer) int { return serveJob(in, out, compileTo) }

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

// readOnly returns a context with which the engine reads compiled code, and fails where it would
// compile: with several workers it looks at the context before it begins.
func readOnly(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancel(experimental.WithCompilationWorkers(ctx, 2))
	cancel()
	return ctx
}
