package wasi

import (
	"encoding/binary"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/crash"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc"
)

// Error numbers of WASI.
const (
	success     = 0
	BadFile     = 8
	invalid     = 28
	illegalSeek = 70
	notCapable  = 76
)

const (
	maxRandom        = 64 << 10
	MaxWrite         = 64 << 10
	maxVectors       = 1024
	maxSubscriptions = 64
	clockRealtime    = 0
	clockMonotonic   = 1
)

var functions = []hostfunc.Function{
	plain("args_get", "ii", arguments),
	plain("args_sizes_get", "ii", argumentSizes),
	plain("environ_get", "ii", nothing),
	plain("environ_sizes_get", "ii", noSizes),
	plain("clock_res_get", "ii", clockResolution),
	stateful("clock_time_get", "iIi", (*State).clockTime),
	stateful("poll_oneoff", "iiii", (*State).poll),
	plain("random_get", "ii", random),
	plain("sched_yield", "", nothing),
	hostfunc.StateFunc(abi.Import(abi.ModuleWASI, "proc_exit", "i", ""), (*State).exit),

	// The three standard files.
	plain("fd_close", "i", standardFile),
	plain("fd_fdstat_get", "ii", fileStatus),
	plain("fd_fdstat_set_flags", "ii", standardFile),
	stateful("fd_read", "iiii", (*State).read),
	plain("fd_seek", "iIii", seek),
	stateful("fd_write", "iiii", (*State).write),

	// There are no other files. Go's linker brings these in with package time, for the zone
	// database, so they cannot be refused at load.
	plain("fd_advise", "iIIi", noFile),
	plain("fd_allocate", "iII", noFile),
	plain("fd_datasync", "i", noFile),
	plain("fd_fdstat_set_rights", "iII", noFile),
	plain("fd_filestat_get", "ii", noFile),
	plain("fd_filestat_set_size", "iI", noFile),
	plain("fd_filestat_set_times", "iIIi", noFile),
	plain("fd_pread", "iiiIi", noFile),
	plain("fd_prestat_dir_name", "iii", noFile),
	plain("fd_prestat_get", "ii", noFile),
	plain("fd_pwrite", "iiiIi", noFile),
	plain("fd_readdir", "iiiIi", noFile),
	plain("fd_renumber", "ii", noFile),
	plain("fd_sync", "i", noFile),
	plain("fd_tell", "ii", noFile),
	plain("path_create_directory", "iii", noPath),
	plain("path_filestat_get", "iiiii", noPath),
	plain("path_filestat_set_times", "iiiiIIi", noPath),
	plain("path_link", "iiiiiii", noPath),
	plain("path_open", "iiiiiIIii", noPath),
	plain("path_readlink", "iiiiii", noPath),
	plain("path_remove_directory", "iii", noPath),
	plain("path_rename", "iiiiii", noPath),
	plain("path_symlink", "iiiii", noPath),
	plain("path_unlink_file", "iii", noPath),
}

// plain is a function that needs no state and returns an error number.
func plain(name, params string, body func(hostfunc.Call, []uint64) uint64) hostfunc.Function {
	return hostfunc.Func(abi.Import(abi.ModuleWASI, name, params, "i"),
		func(c hostfunc.Call, stack []uint64) { stack[0] = body(c, stack) })
}

// stateful is a function that works on the guest's State and returns an error number.
func stateful(name, params string,
	body func(*State, hostfunc.Call, []uint64) uint64) hostfunc.Function {
	return hostfunc.StateFunc(abi.Import(abi.ModuleWASI, name, params, "i"),
		func(s *State, c hostfunc.Call, stack []uint64) { stack[0] = body(s, c, stack) })
}

func nothing(hostfunc.Call, []uint64) uint64 { return success }
func noFile(hostfunc.Call, []uint64) uint64  { return BadFile }
func noPath(hostfunc.Call, []uint64) uint64  { return notCapable }

func noSizes(c hostfunc.Call, stack []uint64) uint64 {
	c.Put32(uint32(stack[0]), 0)
	c.Put32(uint32(stack[1]), 0)
	return success
}

// argument is the only one that a guest gets: many libraries expect that a program has a name.
const argument = "handler\x00"

func argumentSizes(c hostfunc.Call, stack []uint64) uint64 {
	c.Put32(uint32(stack[0]), 1)
	c.Put32(uint32(stack[1]), uint32(len(argument)))
	return success
}

func arguments(c hostfunc.Call, stack []uint64) uint64 {
	text := uint32(stack[1])
	c.Put32(uint32(stack[0]), text)
	copy(c.Read(text, uint32(len(argument))), argument)
	return success
}

func (s *State) exit(c hostfunc.Call, stack []uint64) {
	if s.Command != nil && uint32(stack[0]) == 0 {
		s.Command.Exit()
	}
	c.Abort(crash.Exit, "it called proc_exit(%d)", uint32(stack[0]))
}

func random(c hostfunc.Call, stack []uint64) uint64 {
	if uint32(stack[1]) > maxRandom {
		return invalid
	}
	c.Randomize(c.Read(uint32(stack[0]), uint32(stack[1])))
	return success
}

func clockResolution(c hostfunc.Call, stack []uint64) uint64 {
	if uint32(stack[0]) > clockMonotonic {
		return invalid
	}
	c.Put64(uint32(stack[1]), 1000)
	return success
}

func (s *State) clockTime(c hostfunc.Call, stack []uint64) uint64 {
	now, ok := s.clock(c, uint32(stack[0]))
	if !ok {
		return invalid
	}
	c.Put64(uint32(stack[2]), uint64(now))
	return success
}

// Started is when the monotonic clock was zero.
var Started = time.Now()

func (s *State) clock(c hostfunc.Call, id uint32) (now time.Duration, ok bool) {
	switch id {
	case clockRealtime:
		return time.Duration(c.Now().UnixNano()), true
	case clockMonotonic:
		return time.Since(Started) + s.advanced, true
	}
	return 0, false
}

// poll answers without waiting. The monotonic clock is moved to the nearest time that was waited
// for; nothing waits for files.
func (s *State) poll(c hostfunc.Call, stack []uint64) uint64 {
	const subscription, occurrence = 48, 32
	in, out, n, count := uint32(stack[0]), uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	if n == 0 || n > maxSubscriptions {
		return invalid
	}
	subscriptions := append([]byte(nil), c.Read(in, n*subscription)...)
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
			o[8] = BadFile
		} else if wait > nearest {
			continue
		}
		copy(c.Read(out+events*occurrence, occurrence), o[:])
		events++
	}
	if nearest > 0 && nearest < 1<<63-1 {
		s.advanced += nearest
	}
	c.Put32(count, events)
	return success
}

// wait returns how long a subscription waits for a clock, false if it is for a file.
func (s *State) wait(c hostfunc.Call, subscription []byte) (time.Duration, bool) {
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

func standardFile(_ hostfunc.Call, stack []uint64) uint64 {
	if !isStandard(stack[0]) {
		return BadFile
	}
	return success
}

// fileStatus answers that the standard files are character devices that can be written to.
func fileStatus(c hostfunc.Call, stack []uint64) uint64 {
	if !isStandard(stack[0]) {
		return BadFile
	}
	const characterDevice, rightWrite = 2, 1 << 6
	var s [24]byte
	s[0], s[8] = characterDevice, rightWrite
	copy(c.Read(uint32(stack[1]), uint32(len(s))), s[:])
	return success
}

// read finds standard input at its end, unless there are events for a command.
func (s *State) read(c hostfunc.Call, stack []uint64) uint64 {
	if uint32(stack[0]) != 0 {
		return BadFile
	}
	n := uint32(0)
	if s.Command != nil {
		if uint32(stack[2]) > maxVectors {
			return invalid
		}
		n = s.readInput(c, uint32(stack[1]), uint32(stack[2]))
	}
	c.Put32(uint32(stack[3]), n)
	return success
}

// readInput fills the guest's buffers with what is next on stdin.
func (s *State) readInput(c hostfunc.Call, vectors, n uint32) (read uint32) {
	for v := c.Read(vectors, n*8); len(v) > 0 && read < MaxWrite; v = v[8:] {
		ptr, length := binary.LittleEndian.Uint32(v), binary.LittleEndian.Uint32(v[4:])
		length = min(length, MaxWrite-read)
		read += uint32(s.Command.Read(c.Read(ptr, length)))
	}
	return read
}

func seek(_ hostfunc.Call, stack []uint64) uint64 {
	if !isStandard(stack[0]) {
		return BadFile
	}
	return illegalSeek
}

// write takes what is written to stdout and stderr, but only so much at once, since a guest cannot
// be interrupted meanwhile. What the log does not take is dropped there.
func (s *State) write(c hostfunc.Call, stack []uint64) uint64 {
	var to Writer
	switch uint32(stack[0]) {
	case 1:
		to = s.Stdout
		if s.Command != nil {
			to = s.Command
		}
	case 2:
		to = s.Stderr
	default:
		return BadFile
	}
	vectors, n := uint32(stack[1]), uint32(stack[2])
	if n > maxVectors {
		return invalid
	}
	written := uint32(0)
	for v := c.Read(vectors, n*8); len(v) > 0 && written < MaxWrite; v = v[8:] {
		ptr, length := binary.LittleEndian.Uint32(v), binary.LittleEndian.Uint32(v[4:])
		length = min(length, MaxWrite-written)
		to.Write(c.Context(), c.Read(ptr, length))
		written += length
	}
	c.Put32(uint32(stack[3]), written)
	return success
}
