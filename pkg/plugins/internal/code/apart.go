package code

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// maxCompiling is how many processes compile at once, so that their memory is bounded.
const maxCompiling = 2

// minCompiling is the least memory that a process which compiles is given.
const minCompiling = 32 << 20

// buildApart has the code compiled by another process, which leaves it in a folder, and reads it.
// Size is that of the module as it was.
func (c *Compiler) buildApart(ctx context.Context, x *Code, size int64) error {
	var kept error
	if c.folder != nil {
		if kept = c.buildIn(ctx, x, size, c.folder); !errors.Is(kept, errFolder) {
			return kept
		}
		c.notKept(ctx, kept)
	}
	var errs []error
	for _, parent := range c.Temporary {
		err := c.buildInTemporary(ctx, x, size, parent)
		if !errors.Is(err, errFolder) {
			return err
		}
		errs = append(errs, err)
	}
	return fmt.Errorf("compiling needs a folder to write to, such as an emptyDir at %s: %w",
		c.Temporary[0], errors.Join(errs...))
}

// buildInTemporary builds in a folder that is removed afterwards.
func (c *Compiler) buildInTemporary(ctx context.Context, x *Code, size int64,
	parent string) (err error) {
	path, err := os.MkdirTemp(parent, "informerd-compile-") // for its owner alone
	if err != nil {
		return fmt.Errorf("%w: %w", errFolder, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(path)) }()
	folder, err := openFolder(path)
	if err != nil {
		return fmt.Errorf("%w: %w", errFolder, err)
	}
	return c.buildIn(ctx, x, size, folder)
}

// buildIn reads the code from its entry in a folder, after another process has put it there, if
// need be. The error is child.ErrFolder if another folder might do.
func (c *Compiler) buildIn(ctx context.Context, x *Code, size int64, folder *codeFolder) error {
	entry, err := c.entry(ctx, x, folder)
	if err != nil {
		return fmt.Errorf("%w: %w", errFolder, err)
	}
	if entry.files() > 0 {
		err := c.readFrom(ctx, x, entry)
		var limit *limitError
		switch {
		case err == nil, ctx.Err() != nil, errors.As(err, &limit):
			return err
		}
		// It was made by another version of the engine, or for another processor.
	}
	if err := c.compileApart(ctx, x, size, entry.path); err != nil {
		return errors.Join(err, entry.remove())
	}
	if err := entry.seal(); err != nil {
		return errors.Join(fmt.Errorf("%w: %w", errFolder, err), entry.remove())
	}
	if err := folder.trim(); err != nil {
		c.notKept(ctx, err)
	}
	if err := c.readFrom(ctx, x, entry); err != nil {
		return errors.Join(fmt.Errorf("the compiled module cannot be read: %w", err),
			entry.remove())
	}
	return nil
}

// readFrom reads the code from an entry. What this process holds of it counts towards the limit,
// too.
func (c *Compiler) readFrom(ctx context.Context, x *Code, entry *codeEntry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if entry.size()+int64(len(x.wasm)) > x.limits.Memory {
		return x.limits.error(&limitError{of: ofMemory})
	}
	cache, err := wazero.NewCompilationCacheWithDir(entry.path)
	if err != nil {
		return err
	}
	return c.compile(readOnly(ctx), x, cache)
}

// compileApart has another process compile the code into a folder. Meanwhile this process holds the
// module as it was and as it is rewritten, each with as much garbage; that counts as well.
func (c *Compiler) compileApart(ctx context.Context, x *Code, size int64, dir string) error {
	if err := c.enter(ctx); err != nil {
		return err
	}
	defer c.exit()
	x.limits.Memory = min(x.limits.Memory, halfOfContainer())
	available := x.limits.Memory - 2*(size+int64(len(x.wasm)))
	if available < minCompiling {
		return x.limits.error(&limitError{of: ofMemory})
	}
	used, err := runJob(ctx, c.Command,
		compileJob{Dir: dir, Time: x.limits.Time, Memory: available}, x.wasm)
	c.Log.DebugContext(ctx, "compiling has ended", "cpu", used.Time.Round(time.Millisecond),
		"memory", used.Memory, "error", err)
	var limit *limitError
	switch {
	case err == nil, ctx.Err() != nil, errors.Is(err, errFolder):
		return err
	case errors.As(err, &limit):
		return x.limits.error(limit)
	}
	return fmt.Errorf("the module is not valid: %w", err)
}

// error returns which limit was not enough, and what to do about it.
func (l Limits) error(err *limitError) error {
	const advice = "make the module smaller or simpler, or raise limits.load."
	text := fmt.Sprintf("compiling it takes more than %v of processor time: %stime", l.Time, advice)
	switch err.of {
	case ofClock:
		text = "compiling it takes too long on a machine this busy: " + advice + "time"
	case ofMemory:
		text = fmt.Sprintf("compiling it takes more than %s of memory: %smemory",
			wasmbin.MiB(l.Memory), advice)
		if l.Memory == halfOfContainer() {
			text = fmt.Sprintf("compiling it takes more than %s of memory, half of what the container may have",
				wasmbin.MiB(l.Memory))
		}
	}
	return &limitError{of: err.of, text: text}
}

// containerLimit is a file with the most bytes of memory that this process's container may have.
var containerLimit = "/sys/fs/cgroup/memory.max"

// halfOfContainer returns half of that: the kernel kills all of a container that wants more. It is no
// limit where there is none.
func halfOfContainer() int64 {
	text, _ := os.ReadFile(containerLimit)
	most, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return math.MaxInt64
	}
	return most / 2
}

// enter waits until another process may compile.
func (c *Compiler) enter(ctx context.Context) error {
	for {
		c.mu.Lock()
		if c.running < maxCompiling {
			c.running++
			c.mu.Unlock()
			return nil
		}
		if c.exited == nil {
			c.exited = make(chan struct{})
		}
		exited := c.exited
		c.mu.Unlock()
		select {
		case <-exited:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// exit wakes those who wait in enter.
func (c *Compiler) exit() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
	if c.exited != nil {
		close(c.exited)
		c.exited = nil
	}
}
