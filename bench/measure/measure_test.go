package measure

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

func TestTheStatFile(t *testing.T) {
	const numbers = " S 1 2 3 0 -1 4194560 100 0 0 0 250 50 7 8 20 0 5 0 99"
	for _, c := range []struct {
		name, stat, fails string
		want              time.Duration
	}{
		{"plain", "12 (informerd)" + numbers, "", 3 * time.Second},
		{"a name with spaces and parentheses", "12 (a) b (c)" + numbers, "", 3 * time.Second},
		{"short", "12 (informerd) S 1", "cannot read the CPU time: 2 fields after the name", 0},
		{"no number", "12 (x) S 1 2 3 0 -1 4194560 100 0 0 0 many 50",
			`cannot read the CPU time: strconv.ParseInt: parsing "many": invalid syntax`, 0},
	} {
		got, err := statCPU([]byte(c.stat))
		if text := errorText(err); got != c.want || text != c.fails {
			t.Errorf("%s: %v, %q", c.name, got, text)
		}
	}
}

func TestTheStatusFile(t *testing.T) {
	for _, c := range []struct {
		status, fails string
		want          Resident
	}{
		{"Name:\tx\nVmPeak:\t  900 kB\nVmHWM:\t  300 kB\nVmRSS:\t  200 kB\n", "",
			Resident{Now: 200 << 10, Peak: 300 << 10}},
		{"Name:\tx\nVmHWM:\t  300 kB\n",
			"cannot read the resident memory: the kernel does not report it", Resident{}},
		{"VmRSS:\tx kB\n", `cannot read the resident memory: strconv.ParseInt: parsing "x": invalid syntax`, Resident{}},
	} {
		got, err := statusResident([]byte(c.status))
		if text := errorText(err); got != c.want || text != c.fails {
			t.Errorf("%q: %+v, %q", c.status, got, text)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// work uses CPU time until the process's own has grown by d.
func work(t *testing.T, d time.Duration) {
	t.Helper()
	begin, err := Self().CPU()
	for now := begin; now < begin+d && err == nil; now, err = Self().CPU() {
	}
	if err != nil {
		t.Fatal(err)
	}
}

// needProc skips the test if the kernel has no /proc.
func needProc(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc")
	}
}

func TestSelfIsSeenFromOutsideToo(t *testing.T) {
	needProc(t)
	work(t, 50*time.Millisecond)
	inside, err := Self().CPU()
	if err != nil {
		t.Fatal(err)
	}
	outside, err := Other(os.Getpid()).CPU()
	if err != nil {
		t.Fatal(err)
	}
	// Ticks are rounded down, once for user and once for system time.
	if outside < inside-2*tick {
		t.Errorf("%v from inside, then %v from outside", inside, outside)
	}
	r, err := Self().Resident()
	if err != nil || r.Now <= 0 || r.Peak < r.Now {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestAProcessThatIsGoneCannotBeRead(t *testing.T) {
	needProc(t)
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	p := Other(cmd.Process.Pid)
	if _, err := p.CPU(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("CPU: %v", err)
	}
	if _, err := p.Resident(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Resident: %v", err)
	}
}

func TestSettleWaitsForWorkToEnd(t *testing.T) {
	const busy = 100 * time.Millisecond
	done := make(chan struct{})
	begin, err := Self().CPU()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(done)
		work(t, busy)
	}()
	// The kernel may count a few ms late what another thread has used.
	cpu, err := Self().Settle(t.Context(),
		Quiet{Every: 20 * time.Millisecond, Times: 5, Most: 2 * time.Millisecond,
			Limit: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	<-done
	if cpu-begin < busy/2 {
		t.Errorf("quiet after %v of CPU, %v were expected", cpu-begin, busy)
	}
}

func TestSettleGivesUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Self().Settle(ctx, QuietSelf); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	// A process that is never quiet is waited for until the limit.
	never := Quiet{Every: time.Millisecond, Times: 1, Most: -1, Limit: 20 * time.Millisecond}
	start := time.Now()
	if _, err := Self().Settle(t.Context(), never); err != nil || time.Since(start) < never.Limit {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
}

var held []byte

func TestTheHeapShowsWhatIsHeld(t *testing.T) {
	const size = 32 << 20
	Collect()
	before := ReadHeap()
	held = make([]byte, size)
	Collect()
	with := ReadHeap()
	held = nil
	Collect()
	after := ReadHeap()
	if grown := with.Live - before.Live; grown < size || grown > size*3/2 {
		t.Errorf("holding %d bytes grows the heap by %d", size, grown)
	}
	if after.Live > with.Live-size/2 {
		t.Errorf("%d bytes are live with it, %d without", with.Live, after.Live)
	}
	if with.Allocs <= before.Allocs {
		t.Errorf("%d allocations before, %d after", before.Allocs, with.Allocs)
	}
}

func TestAProfileIsWritten(t *testing.T) {
	dir := t.TempDir()
	stop, err := Profile(dir, "core-list")
	if err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "core-list.pprof")); err != nil || info.Size() == 0 {
		t.Errorf("%v, %v", info, err)
	}
	if stop, err = Profile("", "x"); err != nil || stop() != nil {
		t.Errorf("without a folder: %v", err)
	}
	if _, err := Profile(filepath.Join(dir, "none"), "x"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
