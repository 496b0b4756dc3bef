package plugins

import (
	"log/slog"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

// What the functions of informerd/config.v1, informerd/log.v1 and the error function of
// informerd/result.v1 do; package abi says what they mean.

func configGet(c call, stack []uint64) {
	stack[0] = c.answer(uint32(stack[0]), uint32(stack[1]), string(c.module.spec.Config))
}

func resultError(c call, stack []uint64) {
	ptr, length := uint32(stack[0]), uint32(stack[1])
	c.message = validText(c.read(ptr, length), abi.MaxMessage)
}

func logLog(c call, stack []uint64) {
	level := logLevel(int32(stack[0]))
	ptr, length := uint32(stack[1]), uint32(stack[2])
	text := c.read(ptr, length)
	if c.module.log.enabled(c.ctx, level) {
		c.module.log.line(c.ctx, level, validText(text, abi.MaxLogLine))
	}
}

func logEnabled(c call, stack []uint64) {
	enabled := c.module.log.enabled(c.ctx, logLevel(int32(stack[0])))
	stack[0] = 0
	if enabled {
		stack[0] = 1
	}
}

// logLevel translates a level, those beyond the ends to the nearest.
func logLevel(level int32) slog.Level {
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
