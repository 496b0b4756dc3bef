//go:build wasip1

package host

import "unsafe"

//go:wasmimport informerd/event.v1 object
func eventObject(which, off uint32, ptr unsafe.Pointer, room uint32) int32

//go:wasmimport informerd/event.v1 path
func eventPath(ptr unsafe.Pointer, length uint32) int32

//go:wasmimport informerd/event.v1 field
func eventField(which, handle uint32, ptr unsafe.Pointer, room uint32) int64

//go:wasmimport informerd/event.v1 changed
func eventChanged(handle uint32) int32

//go:wasmimport informerd/event.v1 prefetch
func eventPrefetch(ptr unsafe.Pointer, room uint32, handles unsafe.Pointer, n uint32) int32

//go:wasmimport informerd/event.v1 next
func eventNext(ptr unsafe.Pointer, room uint32) int32

//go:wasmimport informerd/result.v1 emit
func resultEmit(kind int32, ptr unsafe.Pointer, length uint32) int32

//go:wasmimport informerd/result.v1 error
func resultError(ptr unsafe.Pointer, length uint32)

//go:wasmimport informerd/config.v1 get
func configGet(ptr unsafe.Pointer, room uint32) int32

//go:wasmimport informerd/log.v1 log
func logLog(level int32, ptr unsafe.Pointer, length uint32)

//go:wasmimport informerd/log.v1 enabled
func logEnabled(level int32) int32

//go:wasmexport informerd_abi_v1
func marker() {}

//go:wasmexport configure
func configure() int32 { return Configure() }

//go:wasmexport on_event
func onEvent(op, flags, objectLen, oldLen uint32) int32 {
	return OnEvent(op, flags, objectLen, oldLen)
}

func pointer(b []byte) (unsafe.Pointer, uint32) {
	return unsafe.Pointer(unsafe.SliceData(b)), uint32(len(b))
}

func text(s string) (unsafe.Pointer, uint32) {
	return unsafe.Pointer(unsafe.StringData(s)), uint32(len(s))
}

// EventObject is event.v1 object.
func EventObject(which, off uint32, buf []byte) int32 {
	ptr, n := pointer(buf)
	return eventObject(which, off, ptr, n)
}

// EventPath is event.v1 path.
func EventPath(path string) int32 { return eventPath(text(path)) }

// EventField is event.v1 field.
func EventField(which, handle uint32, buf []byte) int64 {
	ptr, n := pointer(buf)
	return eventField(which, handle, ptr, n)
}

// EventChanged is event.v1 changed.
func EventChanged(handle uint32) int32 { return eventChanged(handle) }

// EventPrefetch is event.v1 prefetch. From then on the host writes to buf, so it must belong to a
// global variable.
func EventPrefetch(buf []byte, handles []uint32) int32 {
	ptr, n := pointer(buf)
	return eventPrefetch(ptr, n, unsafe.Pointer(unsafe.SliceData(handles)), uint32(len(handles)))
}

// EventNext is event.v1 next. The host reads the verdict later, so the record must be a global
// variable.
func EventNext(r *Record) int32 { return eventNext(unsafe.Pointer(r), RecordSize) }

// ResultEmit is result.v1 emit.
func ResultEmit(kind int32, text []byte) int32 {
	ptr, n := pointer(text)
	return resultEmit(kind, ptr, n)
}

// ResultError is result.v1 error.
func ResultError(reason string) { resultError(text(reason)) }

// ConfigGet is config.v1 get.
func ConfigGet(buf []byte) int32 { return configGet(pointer(buf)) }

// Log is log.v1 log.
func Log(level int32, line string) {
	ptr, n := text(line)
	logLog(level, ptr, n)
}

// LogEnabled is log.v1 enabled.
func LogEnabled(level int32) int32 { return logEnabled(level) }
