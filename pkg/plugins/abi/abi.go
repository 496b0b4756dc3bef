package abi

// Version is the interface that this package describes. A guest says with ExportMarker that it is
// made for it.
const Version = "informerd/v1"

// Names of the host modules.
const (
	ModuleEvent  = "informerd/event.v1"
	ModuleResult = "informerd/result.v1"
	ModuleConfig = "informerd/config.v1"
	ModuleLog    = "informerd/log.v1"
	ModuleKV     = "informerd/kv.v1"
	ModuleClock  = "informerd/clock.v1"
	ModuleRandom = "informerd/random.v1"
	ModuleHTTP   = "informerd/http.v1"
	ModuleCache  = "informerd/cache.v1"
	ModuleWASI   = "wasi_snapshot_preview1"
)

// Names of the guest's exports.
const (
	ExportMemory     = "memory"
	ExportMarker     = "informerd_abi_v1"
	ExportOnEvent    = "on_event"
	ExportOnBatch    = "on_batch"
	ExportConfigure  = "configure"
	ExportInitialize = "_initialize"
	ExportStart      = "_start" // of a WASI command
)

// Limits that do not depend on a handler's configuration.
const (
	MaxPaths     = 256  // paths a guest may compile
	MaxMessage   = 4096 // bytes kept of a text given to result.v1 error
	MaxLogLine   = 4096 // bytes kept of one log line
	MaxEventType = 256  // bytes of an emitted event's type
	MaxKVKey     = 256  // bytes of a key of kv.v1
	MaxKVValue   = 64 << 10
	MaxRandom    = 64 << 10 // bytes of one call of random.v1 fill
)

// The layout of what event.v1 prefetch has the host write: a head, one entry for each field, the
// fields' texts. All numbers are u32, little endian.
const (
	MaxPrefetch   = 64      // fields that prefetch declares
	PrefetchHead  = 4       // bytes: the number of fields
	PrefetchEntry = 12      // bytes: tag, length, offset
	PrefetchOld   = 1 << 16 // added to a handle, it is the old object's field
)

// The record that event.v1 next writes.
const (
	EventRecord   = 20 // bytes: op, flags, object_len, old_len, verdict
	RecordVerdict = 16 // where the verdict is in it
	AsBatch       = -1 // a verdict: that of the whole batch

	MaxHTTPHead    = 16 << 10 // bytes of a request's head: method, URL and headers
	MaxHTTPHeaders = 32       // headers of a request
	MaxIterators   = 16       // iterators of cache.v1 that are open at once
	MaxLookup      = 1024     // bytes of each text given to cache.v1
)

// ReservedTypes are the beginnings of event types that only informerd itself sends.
var ReservedTypes = []string{"dev.informerd.object.", "dev.informerd.rule."}

// Bits of on_event's flags.
const (
	FlagInitial           = 1 << iota // the event belongs to the first list
	FlagFinalStateUnknown             // the delete itself was missed
	FlagMissed                        // earlier events of this object were coalesced away
	FlagResumed                       // it happened while nobody watched
)

// Which object a function of event.v1 reads.
const (
	WhichObject = 0
	WhichOld    = 1
)

// WholeObject is what cache.v1 iter_field takes for a path's handle to read all of the object.
const WholeObject = -1

// Status is a negative result of a host function.
type Status int32

// The statuses.
const (
	NotFound    Status = -1
	BadArgument Status = -2
	Denied      Status = -3
	Quota       Status = -4
	Unavailable Status = -5
	WrongPhase  Status = -6
)

// String names the status.
func (s Status) String() string {
	switch s {
	case NotFound:
		return "not found"
	case BadArgument:
		return "bad argument"
	case Denied:
		return "denied"
	case Quota:
		return "quota"
	case Unavailable:
		return "unavailable"
	case WrongPhase:
		return "wrong phase"
	}
	return "unknown status"
}

// Verdict is the result of on_event.
type Verdict int32

// The verdicts.
const (
	Done  Verdict = 0
	Drop  Verdict = 1
	Retry Verdict = 2
	Fail  Verdict = 3
)

// String names the verdict.
func (v Verdict) String() string {
	switch v {
	case Done:
		return "done"
	case Drop:
		return "drop"
	case Retry:
		return "retry"
	case Fail:
		return "fail"
	}
	return "unknown verdict"
}

// Tag is the JSON type of a field.
type Tag uint32

// The tags.
const (
	TagMissing Tag = iota
	TagNull
	TagBool
	TagNumber
	TagString
	TagArray
	TagObject
)

// EmitKind says what a guest emits.
type EmitKind int32

// The kinds of emissions.
const (
	EmitEvent EmitKind = 1
	EmitData  EmitKind = 2
)

// String names the kind.
func (k EmitKind) String() string {
	switch k {
	case EmitEvent:
		return "event"
	case EmitData:
		return "data"
	}
	return "unknown kind"
}

// LogLevel is the level of a line given to log.v1 log.
type LogLevel int32

// The log levels.
const (
	LogDebug LogLevel = iota
	LogInfo
	LogWarn
	LogError
)

// PackField makes the result of event.v1 field.
func PackField(tag Tag, length uint32) int64 {
	return int64(tag)<<32 | int64(length)
}
