package handlers

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// bareHost is the minimal part of informerd/v1 that the guests of this package need: fields, one by
// one and prefetched.
type bareHost struct {
	paths   []object.Path
	scratch object.Scratch
	ahead   struct {
		ptr, room uint32
		paths     []object.Path
	}
}

// openWazero runs a guest on wazero, with or without wazero's own deadline.
func openWazero(build func() ([]byte, error), withDeadline bool) func(context.Context) (call,
	func() error, error) {
	return func(ctx context.Context) (call, func() error, error) {
		wasm, err := build()
		if err != nil {
			return nil, nil, err
		}
		runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().
			WithCloseOnContextDone(withDeadline).WithMemoryLimitPages(256))
		run, err := startBare(ctx, runtime, wasm, withDeadline)
		if err != nil {
			return nil, nil, errors.Join(err, runtime.Close(ctx))
		}
		return run, func() error { return runtime.Close(ctx) }, nil
	}
}

func startBare(ctx context.Context, runtime wazero.Runtime, wasm []byte, withDeadline bool) (call,
	error) {
	h := &bareHost{}
	compiled, err := runtime.CompileModule(ctx, wasm)
	if err != nil {
		return nil, err
	}
	if err := h.provide(ctx, runtime, compiled); err != nil {
		return nil, err
	}
	mod, err := runtime.InstantiateModule(ctx, compiled,
		wazero.NewModuleConfig().WithStartFunctions("_initialize"))
	if err != nil {
		return nil, err
	}
	if configured, err := mod.ExportedFunction(abi.ExportConfigure).Call(ctx); err != nil ||
		configured[0] != 0 {
		return nil, fmt.Errorf("configure: %v, %w", configured, err)
	}
	onEvent := mod.ExportedFunction(abi.ExportOnEvent)
	var stack [4]uint64
	run := func(ctx context.Context, o *object.Object) (int32, error) {
		h.begin(mod, o)
		stack = [4]uint64{uint64(event.Add), 0, uint64(o.Size()), 0}
		err := onEvent.CallWithStack(ctx, stack[:])
		return int32(stack[0]), err
	}
	if !withDeadline {
		return func(o *object.Object) (int32, error) { return run(ctx, o) }, nil
	}
	return func(o *object.Object) (int32, error) {
		ctx, cancel := context.WithTimeout(ctx, deadline)
		defer cancel()
		return run(ctx, o)
	}, nil
}

// provide defines a module's imports. Of informerd's functions, all but those for fields do
// nothing.
func (h *bareHost) provide(ctx context.Context, runtime wazero.Runtime,
	compiled wazero.CompiledModule) error {
	modules := map[string]wazero.HostModuleBuilder{}
	for _, f := range compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		if module == abi.ModuleWASI {
			continue
		}
		if modules[module] == nil {
			modules[module] = runtime.NewHostModuleBuilder(module)
		}
		var function api.GoModuleFunc = func(_ context.Context, _ api.Module, stack []uint64) {
			if len(stack) > 0 {
				stack[0] = 0
			}
		}
		if module == abi.ModuleEvent {
			switch name {
			case "path":
				function = h.path
			case "field":
				function = h.field
			case "prefetch":
				function = h.prefetch
			}
		}
		modules[module].NewFunctionBuilder().WithGoModuleFunction(function, f.ParamTypes(),
			f.ResultTypes()).Export(name)
	}
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, runtime); err != nil {
		return err
	}
	for _, m := range modules {
		if _, err := m.Instantiate(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (h *bareHost) path(_ context.Context, mod api.Module, stack []uint64) {
	text, _ := mod.Memory().Read(uint32(stack[0]), uint32(stack[1]))
	path, err := object.CompilePath(string(text))
	if err != nil {
		panic(err)
	}
	h.paths = append(h.paths, path)
	stack[0] = uint64(len(h.paths) - 1)
}

func (h *bareHost) field(_ context.Context, mod api.Module, stack []uint64) {
	value := h.scratch.Lookup(h.paths[uint32(stack[1])])
	text := ""
	if value.Exists() {
		text = value.Text()
	}
	if len(text) <= int(uint32(stack[3])) {
		mod.Memory().WriteString(uint32(stack[2]), text)
	}
	stack[0] = uint64(abi.PackField(abi.Tag(value.Kind()), uint32(len(text))))
}

func (h *bareHost) prefetch(_ context.Context, mod api.Module, stack []uint64) {
	h.ahead.ptr, h.ahead.room, h.ahead.paths = uint32(stack[0]), uint32(stack[1]), nil
	handles, _ := mod.Memory().Read(uint32(stack[2]), 4*uint32(stack[3]))
	for ; len(handles) > 0; handles = handles[4:] {
		h.ahead.paths = append(h.ahead.paths, h.paths[binary.LittleEndian.Uint32(handles)])
	}
	stack[0] = 0
}

// begin sets the object that fields are read from, and writes the prefetched ones.
func (h *bareHost) begin(mod api.Module, o *object.Object) {
	h.scratch.Set(o)
	if len(h.ahead.paths) == 0 {
		return
	}
	b, _ := mod.Memory().Read(h.ahead.ptr, h.ahead.room)
	binary.LittleEndian.PutUint32(b, uint32(len(h.ahead.paths)))
	entry, free := abi.PrefetchHead, abi.PrefetchHead+len(h.ahead.paths)*abi.PrefetchEntry
	for _, path := range h.ahead.paths {
		value := h.scratch.Lookup(path)
		text, offset := "", free
		if value.Exists() {
			text = value.Text()
		}
		if len(text) > len(b)-free {
			offset = 0
		} else {
			free += copy(b[free:], text)
		}
		binary.LittleEndian.PutUint32(b[entry:], uint32(value.Kind()))
		binary.LittleEndian.PutUint32(b[entry+4:], uint32(len(text)))
		binary.LittleEndian.PutUint32(b[entry+8:], uint32(offset))
		entry += abi.PrefetchEntry
	}
}
