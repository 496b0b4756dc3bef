package plugins

import (
	"log/slog"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

var logFunctions = []function{
	define(abi.ModuleLog, "log", logLine),
	define(abi.ModuleLog, "enabled", logEnabled),
}

func logLine(c call, stack []uint64) {
	level := levelOf(int32(stack[0]))
	ptr, length := uint32(stack[1]), uint32(stack[2])
	text := c.read(ptr, length)
	if c.handler.log.enabled(c.calls, level) {
		c.handler.log.line(c.calls, level, validText(text, abi.MaxLogLine))
	}
}

func logEnabled(c call, stack []uint64) {
	enabled := c.handler.log.enabled(c.calls, levelOf(int32(stack[0])))
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
