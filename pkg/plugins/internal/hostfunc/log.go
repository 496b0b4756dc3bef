package hostfunc

import (
	"log/slog"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

// LogGroup is informerd/log.v1.
type LogGroup struct {
	noState
	Log *Log
}

// Functions are those of log.v1.
func (g *LogGroup) Functions() []function {
	return []function{
		plainFunc(imported(abi.ModuleLog, "log"), g.log),
		plainFunc(imported(abi.ModuleLog, "enabled"), g.enabled),
	}
}

func (g *LogGroup) log(c call, stack []uint64) {
	level := levelOf(int32(stack[0]))
	ptr, length := uint32(stack[1]), uint32(stack[2])
	text := c.read(ptr, length)
	if g.Log.enabled(c.context(), level) {
		g.Log.Line(c.context(), level, ValidText(text, abi.MaxLogLine))
	}
}

func (g *LogGroup) enabled(c call, stack []uint64) {
	enabled := g.Log.enabled(c.context(), levelOf(int32(stack[0])))
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
