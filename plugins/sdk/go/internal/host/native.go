//go:build !wasip1

package host

// Host is what a fake host implements. The functions are those of the interface informerd/v1, with slices in place of
// pointers.
type Host interface {
	EventObject(which, off uint32, buf []byte) int32
	EventPath(text []byte) int32
	EventField(which, handle uint32, buf []byte) int64
	EventChanged(handle uint32) int32
	ResultEmit(kind int32, text []byte) int32
	ResultError(text []byte)
	ConfigGet(buf []byte) int32
	Log(level int32, text []byte)
	LogEnabled(level int32) int32
}

// Current is the host that is called. Package informerdtest sets it.
var Current Host

// EventObject is event.v1 object.
func EventObject(which, off uint32, buf []byte) int32 { return Current.EventObject(which, off, buf) }

// EventPath is event.v1 path.
func EventPath(text []byte) int32 { return Current.EventPath(text) }

// EventField is event.v1 field.
func EventField(which, handle uint32, buf []byte) int64 {
	return Current.EventField(which, handle, buf)
}

// EventChanged is event.v1 changed.
func EventChanged(handle uint32) int32 { return Current.EventChanged(handle) }

// ResultEmit is result.v1 emit.
func ResultEmit(kind int32, text []byte) int32 { return Current.ResultEmit(kind, text) }

// ResultError is result.v1 error.
func ResultError(text []byte) { Current.ResultError(text) }

// ConfigGet is config.v1 get.
func ConfigGet(buf []byte) int32 { return Current.ConfigGet(buf) }

// Log is log.v1 log.
func Log(level int32, text []byte) { Current.Log(level, text) }

// LogEnabled is log.v1 enabled.
func LogEnabled(level int32) int32 { return Current.LogEnabled(level) }
