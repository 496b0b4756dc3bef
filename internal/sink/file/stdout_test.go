package file_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	ce "github.com/cloudevents/sdk-go/v2/event"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/file"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

var _ sink.Sink = (*sink.Serial)(nil)

// write writes one message.
func write(ctx context.Context, s *sink.Serial, m sink.Message) error {
	return errors.Join(s.Write(ctx, []sink.Message{m})...)
}

// writerFunc is a stream made of one function.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func message(t testing.TB, name, padding string) sink.Message {
	t.Helper()
	src, err := cloudevent.NewBuilder(
		sink.Origin{Cluster: "prod", Listener: "all", Resource: "pods"})
	if err != nil {
		t.Fatal(err)
	}
	var p object.Parser
	o, err := p.Parse(fmt.Appendf(nil,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"shop","uid":"u","resourceVersion":"7"},"spec":{"padding":%q}}`, name, padding))
	if err != nil {
		t.Fatal(err)
	}
	return src.Event(event.Event{Op: event.Add, Object: o}, time.Unix(1700000000, 0))
}

func closeSink(t testing.TB, s *sink.Serial) {
	t.Helper()
	if err := s.Close(context.Background()); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func TestConcurrentWritersDoNotMixLines(t *testing.T) {
	const writers, each = 8, 50
	var out bytes.Buffer
	s := file.NewStdout(&out)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			var together []sink.Message
			for i := range each {
				m := message(t, fmt.Sprintf("w%d-%d", w, i), strings.Repeat("y", i))
				if w%2 == 0 {
					if err := write(t.Context(), s, m); err != nil {
						t.Error(err)
					}
					continue
				}
				if together = append(together, m); len(together) == w || i == each-1 {
					if errs := s.Write(t.Context(), together); errs != nil {
						t.Error(errs)
					}
					together = nil
				}
			}
		})
	}
	wg.Wait()
	closeSink(t, s)

	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != writers*each {
		t.Fatalf("%d lines, want %d", len(lines), writers*each)
	}
	next := make([]int, writers)
	for _, l := range lines {
		var e ce.Event
		if err := e.UnmarshalJSON([]byte(l)); err != nil {
			t.Fatalf("line %q: %v", l, err)
		}
		var w, i int
		if _, err := fmt.Sscanf(e.Subject(), "pods/shop/w%d-%d", &w, &i); err != nil {
			t.Fatal(err)
		}
		if i != next[w] {
			t.Fatalf("writer %d: line %d came where %d was due", w, i, next[w])
		}
		next[w]++
	}
}

func TestContextDoneBeforeWritesNothing(t *testing.T) {
	var out bytes.Buffer
	s := file.NewStdout(&out)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := write(ctx, s, message(t, "web-1", ""))
	closeSink(t, s)
	if !errors.Is(err, context.Canceled) || out.Len() != 0 {
		t.Errorf("err = %v, %d bytes written", err, out.Len())
	}
}

func TestStalledReaderHoldsWritersUntilTheirContextIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var out bytes.Buffer
		s := file.NewStdout(writerFunc(func(p []byte) (int, error) {
			<-release
			return out.Write(p)
		}))
		first, second := make(chan error, 1), make(chan error, 1)
		write := func(to chan error, name string, patience time.Duration) {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			to <- write(ctx, s, message(t, name, ""))
		}
		go write(first, "web-1", time.Minute)
		synctest.Wait() // the first line is in the stream's Write
		go write(second, "web-2", time.Second)

		wantErr(t, <-second, `stdout: write "pods/shop/web-2": waiting for the lines before it: context deadline exceeded`, context.DeadlineExceeded)
		wantErr(t, <-first, `stdout: write "pods/shop/web-1": the reader takes nothing; the line may still get out: context deadline exceeded`, context.DeadlineExceeded)

		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		wantErr(t, s.Close(ctx),
			`stdout: close: the reader takes nothing, and a line is still being written: context deadline exceeded`, context.DeadlineExceeded)

		close(release)
		closeSink(t, s)
		if n := strings.Count(out.String(), "\n"); n != 1 ||
			!strings.Contains(out.String(), "web-1") {
			t.Errorf("%d lines got out, want that of web-1: %q", n, out.String())
		}
	})
}

// A line that fails fails alone.
func TestEachLineHasItsResult(t *testing.T) {
	all := []sink.Message{message(t, "web-1", ""), message(t, "web-2", ""), message(t, "web-3", "")}
	var lines []string
	for _, m := range all {
		lines = append(lines, string(cloudevent.Append(nil, m))+"\n")
	}
	var calls []string
	full := errors.New("no space left on device")
	s := file.NewStdout(writerFunc(func(p []byte) (int, error) {
		if calls = append(calls, string(p)); len(calls) == 1 {
			return len(lines[0]), full
		}
		return len(p), nil
	}))
	defer closeSink(t, s)
	errs := s.Write(t.Context(), all)
	if len(errs) != 3 || errs[0] != nil || errs[2] != nil {
		t.Fatalf("results %v", errs)
	}
	wantErr(t, errs[1], fmt.Sprintf(
		`stdout: write "pods/shop/web-2": only %d of %d bytes were taken: no space left on device`,
		len(lines[0]), len(lines[0]+lines[1]+lines[2])), full)
	if errs := s.Write(t.Context(), all[1:]); errs != nil {
		t.Errorf("after %d calls: %v", len(calls), errs)
	}
	want := []string{lines[0] + lines[1] + lines[2], lines[2], lines[1] + lines[2]}
	if !slices.Equal(calls, want) {
		t.Errorf("\n got %q\nwant %q", calls, want)
	}
	if errs := s.Write(t.Context(), nil); errs != nil {
		t.Errorf("no messages: %v", errs)
	}
}

// Lines that have not begun when the caller gives up, or the sink is closed, are not written: to
// retry is up to the caller.
func TestNoLineBeginsAfterTheEnd(t *testing.T) {
	for name, end := range map[string]func(cancel func(), s *sink.Serial){
		"ctx is done": func(cancel func(), _ *sink.Serial) { cancel() },
		"closed":      func(_ func(), s *sink.Serial) { go s.Close(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				var out bytes.Buffer
				s := file.NewStdout(writerFunc(func(p []byte) (int, error) {
					if bytes.Contains(p, []byte("web-2")) {
						<-release
					}
					return out.Write(p)
				}))
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				done := make(chan []error, 1)
				go func() {
					long := strings.Repeat("x", 4096) // so that each is written alone
					done <- s.Write(ctx, []sink.Message{message(t, "web-1", long),
						message(t, "web-2", long), message(t, "web-3", long)})
				}()
				synctest.Wait()
				end(cancel, s)
				synctest.Wait()
				if name == "ctx is done" {
					errs := <-done
					wantErr(t, errs[1],
						`stdout: write "pods/shop/web-2": the reader takes nothing; the line may still get out: context canceled`, context.Canceled)
					if errs[0] != nil || errs[2] == nil {
						t.Errorf("results %v", errs)
					}
				}
				close(release)
				if name == "closed" {
					errs := <-done
					wantErr(t, errs[2], `stdout: write "pods/shop/web-3": the output is closed`,
						sink.ErrClosed)
					if errs[0] != nil || errs[1] != nil {
						t.Errorf("results %v", errs)
					}
				}
				closeSink(t, s)
				if n := strings.Count(out.String(), "\n"); n != 2 ||
					strings.Contains(out.String(), "web-3") {
					t.Errorf("%d lines got out: %q", n, out.String())
				}
			})
		})
	}
}

func TestCloseWaitsForTheLineUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := file.NewStdout(writerFunc(func(p []byte) (int, error) {
			<-release
			return len(p), nil
		}))
		written, waiting, closed := make(chan error, 1), make(chan error, 1), make(chan error, 1)
		go func() { written <- write(context.Background(), s, message(t, "web-1", "")) }()
		synctest.Wait()
		go func() { waiting <- write(context.Background(), s, message(t, "web-2", "")) }()
		synctest.Wait()
		go func() { closed <- s.Close(context.Background()) }()

		wantErr(t, <-waiting, `stdout: write "pods/shop/web-2": the output is closed`,
			sink.ErrClosed)
		synctest.Wait()
		if len(closed) != 0 {
			t.Error("Close did not wait for the line under way")
		}
		close(release)
		if err := errors.Join(<-written, <-closed); err != nil {
			t.Error(err)
		}
		wantErr(t, write(context.Background(), s, message(t, "web-3", "")),
			`stdout: write "pods/shop/web-3": the output is closed`, sink.ErrClosed)
		closeSink(t, s) // once more does no harm
	})
}

func TestPartOfALineSpoilsNoOther(t *testing.T) {
	var out bytes.Buffer
	full := errors.New("no space left on device")
	fail := []struct {
		take int
		err  error
	}{{10, full}, {20, nil}, {0, full}}
	s := file.NewStdout(writerFunc(func(p []byte) (int, error) {
		if len(fail) == 0 {
			return out.Write(p)
		}
		f := fail[0]
		fail = fail[1:]
		out.Write(p[:f.take])
		return f.take, f.err
	}))
	m := message(t, "web-1", "")
	size := len(cloudevent.Append(nil, m)) + 1

	err := write(t.Context(), s, m)
	wantErr(t, err, fmt.Sprintf(
		`stdout: write "pods/shop/web-1": only 10 of %d bytes were taken: no space left on device`,
		size), full)
	if sink.IsPermanent(err) {
		t.Error("a full disk must be worth trying again")
	}
	wantErr(t, write(t.Context(), s, m),
		fmt.Sprintf(`stdout: write "pods/shop/web-1": only 20 of %d bytes were taken: short write`,
			size+1), io.ErrShortWrite)
	wantErr(t, write(t.Context(), s, m), `stdout: write "pods/shop/web-1": no space left on device`,
		full)
	for range 2 {
		if err := write(t.Context(), s, m); err != nil {
			t.Fatal(err)
		}
	}
	closeSink(t, s)

	line := string(cloudevent.Append(nil, m))
	want := line[:10] + "\n" + line[:19] + "\n" + line + "\n" + line + "\n"
	if out.String() != want {
		t.Errorf("\n got %q\nwant %q", out.String(), want)
	}
}

func TestBrokenPipeIsPermanent(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r.Close()
	s := file.NewStdout(w)
	defer closeSink(t, s)
	err = write(t.Context(), s, message(t, "web-1", ""))
	wantErr(t, err, `stdout: write "pods/shop/web-1": nobody reads informerd's output any more: write |1: broken pipe`, syscall.EPIPE)
	if !sink.IsPermanent(err) {
		t.Error("trying again would be in vain")
	}
}

func TestCloseLeavesTheStreamOpen(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	closeSink(t, file.NewStdout(w))
	if _, err := w.WriteString("x"); err != nil {
		t.Error(err)
	}
}

func wantErr(t *testing.T, err error, text string, is error) {
	t.Helper()
	if err == nil || err.Error() != text || !errors.Is(err, is) {
		t.Errorf("error\n got %v\nwant %v", err, text)
	}
}

func BenchmarkWrite(b *testing.B) {
	s := file.NewStdout(io.Discard)
	defer closeSink(b, s)
	m := message(b, "web-1", strings.Repeat("0123456789", 1000))
	ctx := context.Background()
	b.SetBytes(int64(m.Object.Size()))
	b.ReportAllocs()
	for b.Loop() {
		if err := write(ctx, s, m); err != nil {
			b.Fatal(err)
		}
	}
}
