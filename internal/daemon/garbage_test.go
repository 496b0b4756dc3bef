package daemon

import (
	goruntime "runtime"
	"runtime/debug"
	"testing"
	"time"
)

// released waits for started collections, and returns their number and the bytes returned to the
// system.
func collected(t *testing.T) (forced uint32, bytes uint64) {
	t.Helper()
	for began := time.Now(); ; goruntime.Gosched() {
		collections.Lock()
		running := collections.running
		collections.Unlock()
		if !running {
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatal("the collection did not end")
		}
	}
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return m.NumForcedGC, m.HeapReleased
}

func TestMuchGarbageIsReturned(t *testing.T) {
	debug.SetGCPercent(-1)
	defer debug.SetGCPercent(100)
	const much = 64 << 20
	for _, c := range []struct {
		name    string
		freed   int64
		more    bool
		collect bool
	}{
		{"little, more expected", much / 10, true, false},
		{"almost nothing", 1 << 10, false, false},
		{"much, more expected", much, true, true},
		{"the rest", much / 8, false, true},
		{"nothing more", 1, false, false},
	} {
		collections.freed = 0
		garbage := make([]byte, much)
		for i := range garbage {
			garbage[i] = 1
		}
		goruntime.KeepAlive(garbage)
		forced, bytes := collected(t)
		CollectFreed(c.freed, c.more)
		now, after := collected(t)
		if collected := now > forced; collected != c.collect || collected && after < bytes+much/2 {
			t.Errorf("%s: collected %t, %d bytes were returned, and %d are", c.name, collected,
				bytes, after)
		}
	}
}
