package hostfunc

import (
	"encoding/binary"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

// Error numbers of WASI.
const (
	wasiSuccess     = 0
	WASIBadFile     = 8
	wasiInvalid     = 28
	wasiIllegalSeek = 70
	wasiNotCapable  = 76
)

const (
	wasiMaxRandom    = 64 << 10
	WASIMaxWrite     = 64 << 10
	wasiMaxVectors   = 1024
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
	wasiStateFunc("clock_time_get", "iIi", (*WASIState).clockTime),
	wasiStateFunc("poll_oneoff", "iiii", (*WASIState).poll),
	wasiFunc("random_get", "ii", wasiRandom),
	wasiFunc("sched_yield", "", wasiNothing),
	stateFunc(abi.Import(abi.ModuleWASI, "proc_exit", "i", ""), (*WASIState).exit),

	// The three standard files.
	wasiFunc("fd_close", "i", standardFile),
	wasiFunc("fd_fdstat_get", "ii", fileStatus),
	wasiFunc("fd_fdstat_set_flags", "ii", standardFile),
	wasiStateFunc("fd_read", "iiii", (*WASIState).read),
	wasiFunc("fd_seek", "iIii", wasiSeek),
	wasiStateFunc("fd_write", "iiii", (*WASIState).write),

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
	return plainFunc(abi.Import(abi.ModuleWASI, name, params, "i"),
		func(c call, stack []uint64) { stack[0] = body(c, stack) })
}

// wasiStateFunc is a function that works on the guest's State and returns an error number.
func wasiStateFunc(name, params string,
	body func(*WASIState, call, []uint64) uint64) function {
	return stateFunc(abi.Import(abi.ModuleWASI, name, params, "i"),
		func(s *WASIState, c call, stack []uint64) { stack[0] = body(s, c, stack) })
}

func wasiNothing(call, []uint64) uint64 { return wasiSuccess }
func wasiNoFile(call, []uint64) uint64  { return WASIBadFile }
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

func (s *WASIState) exit(c call, stack []uint64) {
	if s.Command != nil && uint32(stack[0]) == 0 {
		s.Command.Exit()
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

func (s *WASIState) clockTime(c call, stack []uint64) uint64 {
	now, ok := s.clock(c, uint32(stack[0]))
	if !ok {
		return wasiInvalid
	}
	c.put64(uint32(stack[2]), uint64(now))
	return wasiSuccess
}

// WASIStarted is when the monotonic clock was zero.
var WASIStarted = time.Now()

func (s *WASIState) clock(c call, id uint32) (now time.Duration, ok bool) {
	switch id {
	case clockRealtime:
		return time.Duration(c.now().UnixNano()), true
	case clockMonotonic:
		return time.Since(WASIStarted) + s.advanced, true
	}
	return 0, false
}

// poll answers without waiting. The monotonic clock is moved to the nearest time that was waited
// for; nothing waits for files.
func (s *WASIState) poll(c call, stack []uint64) uint64 {
	const subscription, occurrence = 48, 32
	in, out, n, count := uint32(stack[0]), uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	if n == 0 || n > maxSubscriptions {
		return wasiInvalid
	}
	subscriptions := append([]byte(nil), c.read(in, n*subscription)...)
	nearest := time.Duration(1<<63 - 1)
	for sub := subscriptions; len(sub) > 0; sub = sub[subscription:] {
		if wait, ok := s.wait(c, sub); ok {
			nearest = min(nearest, wait)
		}
	}
	events := uint32(0)
	for sub := subscriptions; len(sub) > 0; sub = sub[subscription:] {
		var o [occurrence]byte
		copy(o[:8], sub[:8]) // what the guest knows it by
		o[10] = sub[8]       // its kind
		if wait, isClock := s.wait(c, sub); !isClock {
			o[8] = WASIBadFile
		} else if wait > nearest {
			continue
		}
		copy(c.read(out+events*occurrence, occurrence), o[:])
		events++
	}
	if nearest > 0 && nearest < 1<<63-1 {
		s.advanced += nearest
	}
	c.put32(count, events)
	return wasiSuccess
}

// wait returns how long a subscription waits for a clock, false if it is for a file.
func (s *WASIState) wait(c call, subscription []byte) (time.Duration, bool) {
	const kindClock, absolute = 0, 1
	if subscription[8] != kindClock {
		return 0, false
	}
	timeout := time.Duration(min(binary.LittleEndian.Uint64(subscription[24:]), 1<<62))
	if subscription[40]&absolute != 0 {
		now, _ := s.clock(c, binary.LittleEndian.Uint32(subscription[16:]))
		timeout = max(0, timeout-now)
	}
	return timeout, true
}

func isStandard(fd uint64) bool { return uint32(fd) <= 2 }

func standardFile(_ call, stack []uint64) uint64 {
	if !isStandard(stack[0]) {
		return WASIBadFile
	}
	return wasiSuccess
}

// fileStatus answers that the standard files are character devices that can be written to.
func fileStatus(c call, stack []uint64) uint64 {
	if !isStandard(stack[0]) {
		return WASIBadFile
	}
	const characterDevice, rightWrite = 2, 1 << 6
	var s [24]byte
	s[0], s[8] = characterDevice, rightWrite
	copy(c.read(uint32(stack[1]), uint32(len(s))), s[:])
	return wasiSuccess
}

// read finds standard input at its end, unless there are events for a command.
func (s *WASIState) read(c call, stack []uint64) uint64 {
	if uint32(stack[0]) != 0 {
		return WASIBadFile
	}
	n := uint32(0)
	if s.Command != nil {
		if uint32(stack[2]) > wasiMaxVectors {
			return wasiInvalid
		}
		n = s.readInput(c, uint32(stack[1]), uint32(stack[2]))
	}
	c.put32(uint32(stack[3]), n)
	return wasiSuccess
}

// readInput fills the guest's buffers with what is next on stdin.
func (s *WASIState) readInput(c call, vectors, n uint32) (read uint32) {
	for v := c.read(vectors, n*8); len(v) > 0 && read < WASIMaxWrite; v = v[8:] {
		ptr, length := binary.LittleEndian.Uint32(v), binary.LittleEndian.Uint32(v[4:])
		length = min(length, WASIMaxWrite-read)
		read += uint32(s.Command.Read(c.read(ptr, length)))
	}
	return read
}

func wasiSeek(_ call, stack []uint64) uint64 {
	if !isStandard(stack[0]) {
		return WASIBadFile
	}
	return wasiIllegalSeek
}

// write takes what is written to stdout and stderr, but only so much at once, since a guest cannot
// be interrupted meanwhile. What the log does not take is dropped there.
func (s *WASIState) write(c call, stack []uint64) uint64 {
	var to streamWriter
	switch uint32(stack[0]) {
	case 1:
		to = s.Stdout
		if s.Command != nil {
			to = s.Command
		}
	case 2:
		to = s.Stderr
	default:
		return WASIBadFile
	}
	vectors, n := uint32(stack[1]), uint32(stack[2])
	if n > wasiMaxVectors {
		return wasiInvalid
	}
	written := uint32(0)
	for v := c.read(vectors, n*8); len(v) > 0 && written < WASIMaxWrite; v = v[8:] {
		ptr, length := binary.LittleEndian.Uint32(v), binary.LittleEndian.Uint32(v[4:])
		length = min(length, WASIMaxWrite-written)
		to.Write(c.context(), c.read(ptr, length))
		written += length
	}
	c.put32(uint32(stack[3]), written)
	return wasiSuccess
}
