package plugins

import (
	"bytes"
	"context"
	"encoding/binary"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

// Error numbers of WASI.
const (
	wasiSuccess     = 0
	wasiBadFile     = 8
	wasiInvalid     = 28
	wasiIllegalSeek = 70
	wasiNotCapable  = 76
)

const (
	wasiMaxRandom    = 64 << 10
	wasiMaxWrite     = 64 << 10
	wasiMaxVectors   = 1024
	wasiLine         = 64 // units of a line, beside its bytes: those of finding out that it is suppressed
	maxSubscriptions = 64
	clockRealtime    = 0
	clockMonotonic   = 1
)

var wasiFunctions = []function{
	wasiFunc("args_get", "ii", arguments),
	wasiFunc("args_sizes_get", "ii", argumentSizes),
	wasiFunc("environ_get", "ii", wasiNothing),
	wasiFunc("environ_sizes_get", "ii", noSizes),
	wasiFunc("clock_res_get", "ii", clockResolution),
	wasiFunc("clock_time_get", "iIi", clockTime),
	wasiFunc("poll_oneoff", "iiii", wasiPoll),
	wasiFunc("random_get", "ii", wasiRandom),
	wasiFunc("sched_yield", "", wasiNothing),
	{abi.Import(abi.ModuleWASI, "proc_exit", "i", ""), wasiExit},

	// The three standard files.
	wasiFunc("fd_close", "i", standardFile),
	wasiFunc("fd_fdstat_get", "ii", fileStatus),
	wasiFunc("fd_fdstat_set_flags", "ii", standardFile),
	wasiFunc("fd_read", "iiii", wasiRead),
	wasiFunc("fd_seek", "iIii", wasiSeek),
	wasiFunc("fd_write", "iiii", wasiWrite),

	// There are no other files. Go's linker brings these in with package time, for the zone
	// database, so they cannot be refused at load.
	wasiFunc("fd_advise", "iIIi", wasiNoFile),
	wasiFunc("fd_allocate", "iII", wasiNoFile),
	wasiFunc("fd_datasync", "i", wasiNoFile),
	wasiFunc("fd_fdstat_set_rights", "iII", wasiNoFile),
	wasiFunc("fd_filestat_get", "ii", wasiNoFile),
	wasiFunc("fd_filestat_set_size", "iI", wasiNoFile),
	wasiFunc("fd_filestat_set_times", "iIIi", wasiNoFile),
	wasiFunc("fd_pread", "iiiIi", wasiNoFile),
	wasiFunc("fd_prestat_dir_name", "iii", wasiNoFile),
	wasiFunc("fd_prestat_get", "ii", wasiNoFile),
	wasiFunc("fd_pwrite", "iiiIi", wasiNoFile),
	wasiFunc("fd_readdir", "iiiIi", wasiNoFile),
	wasiFunc("fd_renumber", "ii", wasiNoFile),
	wasiFunc("fd_sync", "i", wasiNoFile),
	wasiFunc("fd_tell", "ii", wasiNoFile),
	wasiFunc("path_create_directory", "iii", wasiNoPath),
	wasiFunc("path_filestat_get", "iiiii", wasiNoPath),
	wasiFunc("path_filestat_set_times", "iiiiIIi", wasiNoPath),
	wasiFunc("path_link", "iiiiiii", wasiNoPath),
	wasiFunc("path_open", "iiiiiIIii", wasiNoPath),
	wasiFunc("path_readlink", "iiiiii", wasiNoPath),
	wasiFunc("path_remove_directory", "iii", wasiNoPath),
	wasiFunc("path_rename", "iiiiii", wasiNoPath),
	wasiFunc("path_symlink", "iiiii", wasiNoPath),
	wasiFunc("path_unlink_file", "iii", wasiNoPath),
}

// wasiFunc is a function that needs no state and returns an error number.
func wasiFunc(name, params string, body func(call, []uint64) uint64) function {
	return function{abi.Import(abi.ModuleWASI, name, params, "i"),
		func(c call, stack []uint64) { stack[0] = body(c, stack) }}
}

func wasiNothing(call, []uint64) uint64 { return wasiSuccess }
func wasiNoFile(call, []uint64) uint64  { return wasiBadFile }
func wasiNoPath(call, []uint64) uint64  { return wasiNotCapable }

func noSizes(c call, stack []uint64) uint64 {
	c.put32(uint32(stack[0]), 0)
	c.put32(uint32(stack[1]), 0)
	return wasiSuccess
}

// argument is the only one that a guest gets: many libraries expect that a program has a name.
const argument = "handler\x00"

func argumentSizes(c call, stack []uint64) uint64 {
	c.put32(uint32(stack[0]), 1)
	c.put32(uint32(stack[1]), uint32(len(argument)))
	return wasiSuccess
}

func arguments(c call, stack []uint64) uint64 {
	text := uint32(stack[1])
	c.put32(uint32(stack[0]), text)
	copy(c.read(text, uint32(len(argument))), argument)
	return wasiSuccess
}

func wasiExit(c call, stack []uint64) {
	if c.command != nil && uint32(stack[0]) == 0 {
		c.command.exited = true
	}
	c.abort(ReasonExit, "it called proc_exit(%d)", uint32(stack[0]))
}

func wasiRandom(c call, stack []uint64) uint64 {
	if uint32(stack[1]) > wasiMaxRandom {
		return wasiInvalid
	}
	c.randomize(c.read(uint32(stack[0]), uint32(stack[1])))
	return wasiSuccess
}

func clockResolution(c call, stack []uint64) uint64 {
	if uint32(stack[0]) > clockMonotonic {
		return wasiInvalid
	}
	c.put64(uint32(stack[1]), 1000)
	return wasiSuccess
}

func clockTime(c call, stack []uint64) uint64 {
	now, ok := c.wasiClock(uint32(stack[0]))
	if !ok {
		return wasiInvalid
	}
	c.put64(uint32(stack[2]), uint64(now))
	return wasiSuccess
}

// wasiStarted is when the monotonic clock was zero.
var wasiStarted = time.Now()

func (c call) wasiClock(id uint32) (now time.Duration, ok bool) {
	switch id {
	case clockRealtime:
		return time.Duration(c.now().UnixNano()), true
	case clockMonotonic:
		return time.Since(wasiStarted) + c.slept, true
	}
	return 0, false
}

// poll answers without waiting. The monotonic clock is moved to the nearest time that was waited
// for; nothing waits for files.
func wasiPoll(c call, stack []uint64) uint64 {
	const subscription, occurrence = 48, 32
	in, out, n, count := uint32(stack[0]), uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	if n == 0 || n > maxSubscriptions {
		return wasiInvalid
	}
	subscriptions := append([]byte(nil), c.read(in, n*subscription)...)
	nearest := time.Duration(1<<63 - 1)
	for sub := subscriptions; len(sub) > 0; sub = sub[subscription:] {
		if wait, ok := c.wasiWait(sub); ok {
			nearest = min(nearest, wait)
		}
	}
	events := uint32(0)
	for sub := subscriptions; len(sub) > 0; sub = sub[subscription:] {
		var o [occurrence]byte
		copy(o[:8], sub[:8]) // what the guest knows it by
		o[10] = sub[8]       // its kind
		if wait, isClock := c.wasiWait(sub); !isClock {
			o[8] = wasiBadFile
		} else if wait > nearest {
			continue
		}
		copy(c.read(out+events*occurrence, occurrence), o[:])
		events++
	}
	if nearest > 0 && nearest < 1<<63-1 {
		c.slept += nearest
	}
	c.put32(count, events)
	return wasiSuccess
}

// wait returns how long a subscription waits for a clock, false if it is for a file.
func (c call) wasiWait(subscription []byte) (time.Duration, bool) {
	const kindClock, absolute = 0, 1
	if subscription[8] != kindClock {
		return 0, false
	}
	timeout := time.Duration(min(binary.LittleEndian.Uint64(subscription[24:]), 1<<62))
	if subscription[40]&absolute != 0 {
		now, _ := c.wasiClock(binary.LittleEndian.Uint32(subscription[16:]))
		timeout = max(0, timeout-now)
	}
	return timeout, true
}

func isStandard(fd uint64) bool { return uint32(fd) <= 2 }

func standardFile(_ call, stack []uint64) uint64 {
	if !isStandard(stack[0]) {
		return wasiBadFile
	}
	return wasiSuccess
}

// fileStatus answers that the standard files are character devices that can be written to.
func fileStatus(c call, stack []uint64) uint64 {
	if !isStandard(stack[0]) {
		return wasiBadFile
	}
	const characterDevice, rightWrite = 2, 1 << 6
	var s [24]byte
	s[0], s[8] = characterDevice, rightWrite
	copy(c.read(uint32(stack[1]), uint32(len(s))), s[:])
	return wasiSuccess
}

// read finds standard input at its end, unless there are events for a command.
func wasiRead(c call, stack []uint64) uint64 {
	if uint32(stack[0]) != 0 {
		return wasiBadFile
	}
	n := uint32(0)
	if c.command != nil {
		if uint32(stack[2]) > wasiMaxVectors {
			return wasiInvalid
		}
		n = c.readInput(uint32(stack[1]), uint32(stack[2]))
	}
	c.put32(uint32(stack[3]), n)
	return wasiSuccess
}

// readInput fills the guest's buffers with what is next on stdin.
func (c call) readInput(vectors, n uint32) (read uint32) {
	for v := c.read(vectors, n*8); len(v) > 0 && read < wasiMaxWrite; v = v[8:] {
		ptr, length := binary.LittleEndian.Uint32(v), binary.LittleEndian.Uint32(v[4:])
		length = min(length, wasiMaxWrite-read)
		read += uint32(c.command.read(c.read(ptr, length)))
	}
	return read
}

func wasiSeek(_ call, stack []uint64) uint64 {
	if !isStandard(stack[0]) {
		return wasiBadFile
	}
	return wasiIllegalSeek
}

// write takes what is written to stdout and stderr, but only so much at once, since a guest cannot
// be interrupted meanwhile. What the log does not take is dropped there.
func wasiWrite(c call, stack []uint64) uint64 {
	var write func(context.Context, []byte)
	switch uint32(stack[0]) {
	case 1:
		write = c.stdout.write
		if c.command != nil {
			write = c.command.write
		}
	case 2:
		write = c.stderr.write
	default:
		return wasiBadFile
	}
	vectors, n := uint32(stack[1]), uint32(stack[2])
	if n > wasiMaxVectors {
		return wasiInvalid
	}
	written := uint32(0)
	for v := c.read(vectors, n*8); len(v) > 0 && written < wasiMaxWrite; v = v[8:] {
		ptr, length := binary.LittleEndian.Uint32(v), binary.LittleEndian.Uint32(v[4:])
		length = min(length, wasiMaxWrite-written)
		text := c.read(ptr, length)
		c.tank.Spend(int64(wasiLine * bytes.Count(text, []byte{'\n'})))
		write(c.calls, text)
		written += length
	}
	c.put32(uint32(stack[3]), written)
	return wasiSuccess
}
