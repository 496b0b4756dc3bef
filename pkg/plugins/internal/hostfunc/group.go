package hostfunc

import (
	"context"
	"fmt"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

// Group is a group of host functions, as the guests of one handler have it.
type Group interface {
	// Functions are what guests may import of it.
	Functions() []function
	// Open gets what all guests of the handler share. It is called once, if they import any of it.
	Open() error
	// NewState returns what the group keeps for one guest, nil if that is nothing. It has the type
	// that the group's StateFuncs take.
	NewState(*Caller) state
	// Close releases what Open got. It may be called without Open.
	Close() error
}

// state is what a group keeps for one guest.
type state interface {
	// EndEvent forgets what is of the event that was at hand.
	EndEvent()
}

// noState has the methods of a group that gets and keeps nothing.
type noState struct{}

// Open does nothing.
func (noState) Open() error { return nil }

// NewState returns nil.
func (noState) NewState(*Caller) state { return nil }

// Close does nothing.
func (noState) Close() error { return nil }

// function is a function that guests may import, with what it does. Its arguments are on the stack,
// as a uint64 each; the result takes the place of the first.
type function struct {
	abi.Function
	bind func(number, slot int) api.GoModuleFunc
}

// plainFunc is a function that needs no state of the guest.
func plainFunc(f abi.Function, body func(call, []uint64)) function {
	return function{f, func(number, _ int) api.GoModuleFunc {
		return func(ctx context.Context, mod api.Module, stack []uint64) {
			c := CallerOf(ctx)
			if c.Counts != nil {
				c.Counts[number]++
			}
			c.interrupt()
			body(call{c, mod.Memory()}, stack)
		}
	}}
}

// stateFunc is a function that works on the state that its group keeps for the guest.
func stateFunc[S any](f abi.Function, body func(*S, call, []uint64)) function {
	return function{f, func(number, slot int) api.GoModuleFunc {
		return func(ctx context.Context, mod api.Module, stack []uint64) {
			c := CallerOf(ctx)
			if c.Counts != nil {
				c.Counts[number]++
			}
			c.interrupt()
			body(c.states[slot].(*S), call{c, mod.Memory()}, stack)
		}
	}}
}

// imported returns the function of package abi with that name.
func imported(module, name string) abi.Function {
	for _, f := range abi.Imports {
		if f.Module == module && f.Name == name {
			return f
		}
	}
	panic("no function " + module + " " + name)
}

// Instantiate adds the host modules of some groups to a runtime. A guest's Caller must be given the
// same groups by AddStates. Numbers are those of Caller.Counts.
func Instantiate(ctx context.Context, r wazero.Runtime, groups []Group,
	number func(abi.Function) int) error {
	for slot, group := range groups {
		functions := group.Functions()
		for len(functions) > 0 {
			module := functions[0].Module
			end := slices.IndexFunc(functions, func(f function) bool { return f.Module != module })
			if end < 0 {
				end = len(functions)
			}
			builder := r.NewHostModuleBuilder(module)
			for _, f := range functions[:end] {
				builder.NewFunctionBuilder().
					WithGoModuleFunction(f.bind(number(f.Function), slot), apiTypes(f.Params),
						apiTypes(f.Results)).
					Export(f.Name)
			}
			if _, err := builder.Instantiate(ctx); err != nil {
				return fmt.Errorf("host module %s: %w", module, err)
			}
			functions = functions[end:]
		}
	}
	return nil
}

func apiTypes(ts []abi.ValueType) []api.ValueType {
	out := make([]api.ValueType, len(ts))
	for i, t := range ts {
		out[i] = api.ValueType(t)
	}
	return out
}
