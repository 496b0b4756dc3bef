package plugins

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/informerd/informerd/pkg/plugins/internal/code"
	"github.com/informerd/informerd/pkg/plugins/internal/kv"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

const (
	maxMemory = 4 << 30
	maxConfig = 1 << 20
	maxModule = wasmbin.MaxSize

	minLoadMemory = 64 << 20
)

// Spec describes one handler.
type Spec struct {
	// Listener and Path (of the file) are for messages.
	Listener string
	Path     string
	Wasm     []byte
	// Config is a JSON object for the guest; empty is {}.
	Config []byte
	Limits Limits
	Grants Grants
	// Shard is the part of the objects that the handler works on, if there are several: what the
	// same listener's handlers keep in two shards are two stores.
	Shard string
	// KV is where what the grant kv keeps of the shard is written, by Host.FlushKV and when the
	// last handler of the listener and shard is closed. Load reads from it. A shard that comes back
	// needs another one. Nil: HostConfig.KVPath.
	KV KVBacking
	// Caches are what the grant cache lets the guest read. Without them they are
	// unavailable.
	Caches Caches
	// CountCalls has each Instance count the guest's calls of the host, for Instance.Usage.
	CountCalls bool
}

// KVBacking keeps values beyond the end of the daemon.
type KVBacking = kv.Backing

// Limits bound what a guest may use. A zero field has its default.
type Limits struct {
	// Memory of one instance in bytes, rounded down to 64 KiB; default 16 MiB.
	Memory int64
	// Deadline of one on_event; default 100 ms. A batch, and a run of a command, has it once for
	// each event.
	Deadline time.Duration
	// LoadDeadline of starting an instance, _initialize and configure included; default 10 s.
	LoadDeadline time.Duration
	// Fuel of one on_event, in units of about an instruction; 0 is no budget besides the deadline.
	// A batch, and a run of a command, has it once for each event. Starting an instance has none.
	Fuel int64
	// Recycle is how many events an instance's guest is given before a fresh one takes its place;
	// default 1,000,000, and -1 is without end. The same happens when its memory has grown to three
	// quarters of what it may have.
	Recycle int64
	// Module is the most bytes of the module's file; default 32 MiB.
	Module int64
	// LoadTime is what compiling the module may take of the processor; default 60 s. On the clock,
	// it may take ten times that. Without HostConfig.Compiler, a rough estimate is compared with it.
	LoadTime time.Duration
	// LoadMemory is what the process that compiles and the host hold of the module together, in
	// bytes; default 1 GiB. Without HostConfig.Compiler, nothing is.
	LoadMemory int64
}

func (l Limits) withDefaults() Limits {
	setDefault(&l.Memory, 16<<20)
	setDefault(&l.Deadline, 100*time.Millisecond)
	setDefault(&l.LoadDeadline, 10*time.Second)
	setDefault(&l.Recycle, 1_000_000)
	setDefault(&l.Module, 32<<20)
	setDefault(&l.LoadTime, time.Minute)
	setDefault(&l.LoadMemory, 1<<30)
	return l
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func (l Limits) validate() error {
	switch {
	case l.Memory < wasmbin.PageSize || l.Memory > maxMemory:
		return fmt.Errorf("limits: memory is %d bytes, it must be between 64 KiB and 4 GiB",
			l.Memory)
	case l.Deadline < 0:
		return fmt.Errorf("limits: deadline is %v, it must be positive", l.Deadline)
	case l.LoadDeadline < 0:
		return fmt.Errorf("limits: load deadline is %v, it must be positive", l.LoadDeadline)
	case l.Fuel < 0:
		return fmt.Errorf("limits: fuel is %d, it must not be negative", l.Fuel)
	case l.Recycle < -1:
		return fmt.Errorf("limits: recycle is %d, it must be positive, or -1 for never", l.Recycle)
	case l.Module < 0 || l.Module > maxModule:
		return fmt.Errorf("limits: module is %d bytes, it must be between 1 and %d", l.Module,
			maxModule)
	case l.LoadTime < 0:
		return fmt.Errorf("limits: load time is %v, it must be positive", l.LoadTime)
	case l.LoadMemory < minLoadMemory:
		return fmt.Errorf("limits: load memory is %d bytes, it must be at least 64 MiB",
			l.LoadMemory)
	}
	return nil
}

// DefaultMemory returns the memory that an instance may have where a configuration does not say.
func DefaultMemory() int64 { return Limits{}.withDefaults().Memory }

// withDefaults fills in what was left out. It copies what it changes.
func (s Spec) withDefaults() Spec {
	s.Limits = s.Limits.withDefaults()
	if len(bytes.TrimSpace(s.Config)) == 0 {
		s.Config = []byte("{}")
	}
	s.Grants = s.Grants.withDefaults()
	return s
}

func (s Spec) validate() error {
	if err := s.Limits.validate(); err != nil {
		return err
	}
	if err := s.Grants.check(s.Listener); err != nil {
		return err
	}
	if len(s.Config) > maxConfig {
		return fmt.Errorf("config: it has %d bytes, at most %d are allowed", len(s.Config),
			maxConfig)
	}
	if !json.Valid(s.Config) || bytes.TrimSpace(s.Config)[0] != '{' {
		return errors.New("config: it must be a JSON object")
	}
	return nil
}

// parse reads the outline of the module and checks what can be checked without compiling it.
func (s Spec) parse() (*wasmbin.Module, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	if size := int64(len(s.Wasm)); size > s.Limits.Module {
		return nil, fmt.Errorf(
			"the file has %d bytes, at most %d are allowed: raise limits.module",
			size, s.Limits.Module)
	}
	file, err := wasmbin.Parse(s.Wasm)
	if err != nil {
		return nil, err
	}
	return file, code.Rules{Functions: hostFunctions, Granted: s.Grants.has,
		Memory: s.Limits.Memory}.Check(file)
}
