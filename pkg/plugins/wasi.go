package plugins

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

// The part of WASI preview 1 that the runtimes of stock toolchains call. It is our own and not the
// engine's, since that one brings files, sockets and real sleeping, and this one must not be able
// to.

// Error numbers of WASI.
const (
	wasiOK         = 0
	wasiBadFile    = 8
	wasiInvalid    = 28
	wasiUnsought   = 70 // illegal seek
	wasiNotCapable = 76
)

const (
	maxRandom        = 64 << 10
	maxWrite         = 64 << 10
	maxVectors       = 1024
	maxSubscriptions = 64
	clockRealtime    = 0
	clockMonotonic   = 1
)

var wasiFunctions = []hostFunction{
	wasi("args_get", "ii", wasiArguments),
	wasi("args_sizes_get", "ii", wasiArgumentSizes),
	wasi("environ_get", "ii", wasiNothing),
	wasi("environ_sizes_get", "ii", wasiNoSizes),
	wasi("clock_res_get", "ii", wasiClockRes),
	wasi("clock_time_get", "iIi", wasiClockTime),
	wasi("poll_oneoff", "iiii", wasiPoll),
	wasi("random_get", "ii", wasiRandom),
	wasi("sched_yield", "", wasiNothing),
	{abi.Import(abi.ModuleWASI, "proc_exit", "i", ""), wasiExit},

	// The three standard files.
	wasi("fd_close", "i", wasiStandardFile),
	wasi("fd_fdstat_get", "ii", wasiFileStatus),
	wasi("fd_fdstat_set_flags", "ii", wasiStandardFile),
	wasi("fd_read", "iiii", wasiRead),
	wasi("fd_seek", "iIii", wasiSeek),
	wasi("fd_write", "iiii", wasiWrite),

	// There are no other files. Go's linker brings these in with package time, for the zone
	// database, so they cannot be refused at load.
	wasi("fd_advise", "iIIi", wasiNoFile),
	wasi("fd_allocate", "iII", wasiNoFile),
	wasi("fd_datasync", "i", wasiNoFile),
	wasi("fd_fdstat_set_rights", "iII", wasiNoFile),
	wasi("fd_filestat_get", "ii", wasiNoFile),
	wasi("fd_filestat_set_size", "iI", wasiNoFile),
	wasi("fd_filestat_set_times", "iIIi", wasiNoFile),
	wasi("fd_pread", "iiiIi", wasiNoFile),
	wasi("fd_prestat_dir_name", "iii", wasiNoFile),
	wasi("fd_prestat_get", "ii", wasiNoFile),
	wasi("fd_pwrite", "iiiIi", wasiNoFile),
	wasi("fd_readdir", "iiiIi", wasiNoFile),
	wasi("fd_renumber", "ii", wasiNoFile),
	wasi("fd_sync", "i", wasiNoFile),
	wasi("fd_tell", "ii", wasiNoFile),
	wasi("path_create_directory", "iii", wasiNoPath),
	wasi("path_filestat_get", "iiiii", wasiNoPath),
	wasi("path_filestat_set_times", "iiiiIIi", wasiNoPath),
	wasi("path_link", "iiiiiii", wasiNoPath),
	wasi("path_open", "iiiiiIIii", wasiNoPath),
	wasi("path_readlink", "iiiiii", wasiNoPath),
	wasi("path_remove_directory", "iii", wasiNoPath),
	wasi("path_rename", "iiiiii", wasiNoPath),
	wasi("path_symlink", "iiiii", wasiNoPath),
	wasi("path_unlink_file", "iii", wasiNoPath),
}

// wasi describes a function that gives an error number.
func wasi(name, params string, body func(call, []uint64) uint64) hostFunction {
	return hostFunction{abi.Import(abi.ModuleWASI, name, params, "i"),
		func(c call, stack []uint64) {
			errno := body(c, stack)
			stack[0] = errno
		}}
}

func wasiNothing(call, []uint64) uint64 { return wasiOK }
func wasiNoFile(call, []uint64) uint64  { return wasiBadFile }
func wasiNoPath(call, []uint64) uint64  { return wasiNotCapable }

func wasiNoSizes(c call, stack []uint64) uint64 {
	c.put32(uint32(stack[0]), 0)
	c.put32(uint32(stack[1]), 0)
	return wasiOK
}

// argument is the only one that a guest gets: that a program has a name is what many a library
// counts on.
const argument = "handler\x00"

func wasiArgumentSizes(c call, stack []uint64) uint64 {
	c.put32(uint32(stack[0]), 1)
	c.put32(uint32(stack[1]), uint32(len(argument)))
	return wasiOK
}

func wasiArguments(c call, stack []uint64) uint64 {
	text := uint32(stack[1])
	c.put32(uint32(stack[0]), text)
	copy(c.read(text, uint32(len(argument))), argument)
	return wasiOK
}

func wasiExit(c call, stack []uint64) {
	if c.command != nil && uint32(stack[0]) == 0 {
		c.command.exited = true
	}
	c.abort(ReasonExit, "it called proc_exit(%d)", uint32(stack[0]))
}

func wasiRandom(c call, stack []uint64) uint64 {
	if uint32(stack[1]) > maxRandom {
		return wasiInvalid
	}
	c.randomize(c.read(uint32(stack[0]), uint32(stack[1])))
	return wasiOK
}

func wasiClockRes(c call, stack []uint64) uint64 {
	if uint32(stack[0]) > clockMonotonic {
		return wasiInvalid
	}
	c.put64(uint32(stack[1]), 1000)
	return wasiOK
}

func wasiClockTime(c call, stack []uint64) uint64 {
	now, ok := c.clock(uint32(stack[0]))
	if !ok {
		return wasiInvalid
	}
	c.put64(uint32(stack[2]), uint64(now))
	return wasiOK
}

var started = time.Now()

func (c call) clock(id uint32) (now time.Duration, ok bool) {
	switch id {
	case clockRealtime:
		return time.Duration(c.now().UnixNano()), true
	case clockMonotonic:
		return time.Since(started) + c.advanced, true
	}
	return 0, false
}

// wasiPoll answers without waiting. The nearest clock that was waited for has run off, as the
// monotonic clock is moved on to it; files are not to be waited for.
func wasiPoll(c call, stack []uint64) uint64 {
	const subscription, occurrence = 48, 32
	in, out, n, count := uint32(stack[0]), uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	if n == 0 || n > maxSubscriptions {
		return wasiInvalid
	}
	subscriptions := append([]byte(nil), c.read(in, n*subscription)...)
	nearest := time.Duration(1<<63 - 1)
	for s := subscriptions; len(s) > 0; s = s[subscription:] {
		if wait, ok := c.wait(s); ok {
			nearest = min(nearest, wait)
		}
	}
	events := uint32(0)
	for s := subscriptions; len(s) > 0; s = s[subscription:] {
		var o [occurrence]byte
		copy(o[:8], s[:8]) // what the guest knows it by
		o[10] = s[8]       // its kind
		if wait, isClock := c.wait(s); !isClock {
			o[8] = wasiBadFile
		} else if wait > nearest {
			continue
		}
		copy(c.read(out+events*occurrence, occurrence), o[:])
		events++
	}
	if nearest > 0 && nearest < 1<<63-1 {
		c.advanced += nearest
	}
	c.put32(count, events)
	return wasiOK
}

// wait tells how long a subscription is to a clock, false if it is to a file.
func (c call) wait(subscription []byte) (time.Duration, bool) {
	const kindClock, absolute = 0, 1
	if subscription[8] != kindClock {
		return 0, false
	}
	timeout := time.Duration(min(binary.LittleEndian.Uint64(subscription[24:]), 1<<62))
	if subscription[40]&absolute != 0 {
		now, _ := c.clock(binary.LittleEndian.Uint32(subscription[16:]))
		timeout = max(0, timeout-now)
	}
	return timeout, true
}

func standardFile(fd uint64) bool { return uint32(fd) <= 2 }

func wasiStandardFile(_ call, stack []uint64) uint64 {
	if !standardFile(stack[0]) {
		return wasiBadFile
	}
	return wasiOK
}

// wasiFileStatus says that the standard files are character devices that can be written to.
func wasiFileStatus(c call, stack []uint64) uint64 {
	if !standardFile(stack[0]) {
		return wasiBadFile
	}
	const characterDevice, rightWrite = 2, 1 << 6
	var s [24]byte
	s[0], s[8] = characterDevice, rightWrite
	copy(c.read(uint32(stack[1]), uint32(len(s))), s[:])
	return wasiOK
}

// wasiRead finds stdin at its end, unless there are events for a command.
func wasiRead(c call, stack []uint64) uint64 {
	if uint32(stack[0]) != 0 {
		return wasiBadFile
	}
	n := uint32(0)
	if c.command != nil {
		if uint32(stack[2]) > maxVectors {
			return wasiInvalid
		}
		n = c.readEvents(uint32(stack[1]), uint32(stack[2]))
	}
	c.put32(uint32(stack[3]), n)
	return wasiOK
}

func wasiSeek(_ call, stack []uint64) uint64 {
	if !standardFile(stack[0]) {
		return wasiBadFile
	}
	return wasiUnsought
}

// wasiWrite takes what is written to stdout and stderr, but only so much at once, since a guest
// cannot be interrupted within; what the log does not take is dropped there.
func wasiWrite(c call, stack []uint64) uint64 {
	var to interface {
		write(ctx context.Context, b []byte)
	}
	switch uint32(stack[0]) {
	case 1:
		to = &c.stdout
		if c.command != nil {
			to = c.command
		}
	case 2:
		to = loud{&c.stderr, &c.said}
	default:
		return wasiBadFile
	}
	vectors, n := uint32(stack[1]), uint32(stack[2])
	if n > maxVectors {
		return wasiInvalid
	}
	written := uint32(0)
	for v := c.read(vectors, n*8); len(v) > 0 && written < maxWrite; v = v[8:] {
		ptr, length := binary.LittleEndian.Uint32(v), binary.LittleEndian.Uint32(v[4:])
		length = min(length, maxWrite-written)
		to.write(c.ctx, c.read(ptr, length))
		written += length
	}
	c.put32(uint32(stack[3]), written)
	return wasiOK
}

func (c call) put32(ptr, v uint32) {
	if !c.mem.WriteUint32Le(ptr, v) {
		c.badPointer(ptr, 4)
	}
}

func (c call) put64(ptr uint32, v uint64) {
	if !c.mem.WriteUint64Le(ptr, v) {
		c.badPointer(ptr, 8)
	}
}
