// Package logv1 is the group informerd/log.v1: lines that a guest writes to the log of informerd.
// It needs the grant log. It keeps nothing for a guest; the limits are the handler's.
package logv1

import (
	"log/slog"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/guestlog"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc"
)

// Group is informerd/log.v1.
type Group struct {
	hostfunc.Plain
	Log *guestlog.Log
}

// Functions are those of log.v1.
func (g *Group) Functions() []hostfunc.Function {
	return []hostfunc.Function{
		hostfunc.Func(hostfunc.Imported(abi.ModuleLog, "log"), g.log),
		hostfunc.Func(hostfunc.Imported(abi.ModuleLog, "enabled"), g.enabled),
	}
}

func (g *Group) log(c hostfunc.Call, stack []uint64) {
	level := levelOf(int32(stack[0]))
	ptr, length := uint32(stack[1]), uint32(stack[2])
	text := c.Read(ptr, length)
	if g.Log.Enabled(c.Context(), level) {
		g.Log.Line(c.Context(), level, hostfunc.ValidText(text, abi.MaxLogLine))
	}
}

func (g *Group) enabled(c hostfunc.Call, stack []uint64) {
	enabled := g.Log.Enabled(c.Context(), levelOf(int32(stack[0])))
	stack[0] = 0
	if enabled {
		stack[0] = 1
	}
}

// levelOf translates a level, those beyond the ends to the nearest.
func levelOf(level int32) slog.Level {
	switch l := abi.LogLevel(level); {
	case l <= abi.LogDebug:
		return slog.LevelDebug
	case l == abi.LogInfo:
		return slog.LevelInfo
	case l == abi.LogWarn:
		return slog.LevelWarn
	}
	return slog.LevelError
}
