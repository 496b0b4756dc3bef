package code

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/informerd/informerd/pkg/plugins/internal/meter"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// Validate returns why the engine would refuse a module. It asks the engine's interpreter, which is
// quicker than the compiler and refuses the same.
func Validate(m *wasmbin.Module) error {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx,
		wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2))
	defer r.Close(ctx)
	if _, err := r.CompileModule(ctx, m.Code); err != nil {
		return fmt.Errorf("the module is not valid: %w", err)
	}
	return nil
}

// CheckMetering returns why a module cannot be metered, and so would not be loaded.
func CheckMetering(m *wasmbin.Module) error {
	_, err := meter.Rewrite(m.Code)
	return err
}
