package handlers

import (
	"context"
	"fmt"
	"unsafe"

	extism "github.com/extism/go-sdk"

	"github.com/informerd/informerd/pkg/informer/object"
)

// openExtism runs a guest with Extism's Go SDK and its timeout. Its input is the pod's JSON, or it
// calls a host function for fields.
func openExtism(source string, input bool) func(context.Context) (call, func() error, error) {
	return func(ctx context.Context) (call, func() error, error) {
		wasm, err := buildExtism(source)
		if err != nil {
			return nil, nil, err
		}
		var scratch object.Scratch
		field := extism.NewHostFunctionWithStack("field",
			func(_ context.Context, p *extism.CurrentPlugin, stack []uint64) {
				path := phasePath
				if stack[0] == 1 {
					path = imagePath
				}
				block, err := p.WriteString(scratch.Lookup(path).Text())
				if err != nil {
					panic(err)
				}
				stack[0] = block
			}, []extism.ValueType{extism.ValueTypeI64}, []extism.ValueType{extism.ValueTypePTR})
		plugin, err := extism.NewPlugin(ctx, extism.Manifest{
			Wasm:    []extism.Wasm{extism.WasmData{Data: wasm}},
			Timeout: uint64(deadline.Milliseconds()),
		}, extism.PluginConfig{}, []extism.HostFunction{field})
		if err != nil {
			return nil, nil, err
		}
		return func(o *object.Object) (int32, error) {
			var in []byte
			if input {
				in = bytesOf(o.JSON())
			} else {
				scratch.Set(o)
			}
			code, _, err := plugin.CallWithContext(ctx, "handle", in)
			if err != nil {
				return 0, fmt.Errorf("handle: %w", err)
			}
			return int32(code), nil
		}, func() error { return plugin.Close(ctx) }, nil
	}
}

// bytesOf avoids a copy of a text that informerd has as a string; the bytes must not be changed.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
