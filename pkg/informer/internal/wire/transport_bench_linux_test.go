package wire

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/pkg/informer/internal/wiretest"
	"github.com/informerd/informerd/pkg/informer/object"
)

// BenchmarkWatch measures what an event of 10 KB costs the client of a server in another process:
// CPU time of the whole process, system time of that, and reads and writes it asked the kernel for.
// Events come in a burst, as fast as the server can, or one a millisecond. They are parsed, or only
// cut and dropped. read is the buffer of an HTTP/1.1 connection, stream that of the reader, both in
// KiB.
func BenchmarkWatch(b *testing.B) {
	for _, protocol := range wiretest.Protocols {
		cfg := benchServer(b, protocol)
		for _, c := range []struct {
			arrival, work string
			streams       []int
		}{
			{"burst", "parse", []int{32, 64, 128, 256}}, {"burst", "drop", []int{128}}, {
				"single", "parse", []int{32}},
		} {
			for _, read := range []int{4, 16, 32, 64, 128} {
				if protocol != "HTTP1" && read != 4 && read != readBuffer>>10 {
					continue // no more than a check that it does not matter
				}
				for _, stream := range c.streams {
					b.Run(fmt.Sprintf("%s/%s/%s/read=%d/stream=%d", protocol, c.arrival, c.work,
						read, stream), func(b *testing.B) {
						cfg := rest.CopyConfig(cfg)
						cfg.WrapTransport = func(rt http.RoundTripper) http.RoundTripper {
							innermost(rt).ReadBufferSize = read << 10
							return rt
						}
						benchWatch(b, cfg, c.arrival, c.work, stream<<10)
					})
				}
			}
		}
	}
}

func benchWatch(b *testing.B, cfg *rest.Config, arrival, work string, size int) {
	client, err := NewClient(cfg)
	if err != nil {
		b.Fatal(err)
	}
	defer client.CloseIdleConnections()
	body, err := client.Collection(pods, "", arrival, "").Watch(b.Context(),
		metav1.ListOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer body.Close()
	s := stream{r: body, buf: make([]byte, size)}
	parser := &object.Parser{Kind: "Pod"}
	parse := func(text []byte) (int, error) {
		_, end, err := parser.ParseWatchEvent(text)
		return end, err
	}
	if work == "drop" {
		parse = func(text []byte) (int, error) {
			if end := bytes.IndexByte(text, '\n'); end >= 0 {
				return end + 1, nil
			}
			return 0, object.ErrTruncated
		}
	}
	before, events := used(b), 0.0
	for b.Loop() {
		if err := s.value(parse); err != nil {
			b.Fatal(err)
		}
		events++
	}
	for i, now := range used(b) {
		b.ReportMetric((now-before[i])/events,
			[...]string{"cpu-ns/op", "sys-ns/op", "reads/op", "writes/op"}[i])
	}
}

// BenchmarkForeign measures what an event of 10 KB costs that a watch passes over, as foreign, and
// what it costs to read its bytes and drop them: CPU time of the whole process. Events come in a
// burst.
func BenchmarkForeign(b *testing.B) {
	for _, protocol := range wiretest.Protocols {
		cfg := benchServer(b, protocol)
		for _, work := range []string{"read", "uid", "namespace"} {
			b.Run(protocol+"/"+work, func(b *testing.B) { benchForeign(b, cfg, work) })
		}
	}
}

func benchForeign(b *testing.B, cfg *rest.Config, work string) {
	client, err := NewClient(cfg)
	if err != nil {
		b.Fatal(err)
	}
	defer client.CloseIdleConnections()
	body, err := client.Collection(pods, "", "burst", "").Watch(b.Context(), metav1.ListOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer body.Close()
	watch := NewWatch(body, &object.Parser{Kind: "Pod", OwnByUID: work == "uid",
		Own: func(string, string, string) bool { return false }}, func() {})
	buf, left := make([]byte, busyBuffer), 0
	next := func() {
		frame, err := watch.Next(nil)
		if err != nil || !frame.Foreign {
			b.Fatalf("%+v, %v", frame, err)
		}
	}
	if work == "read" {
		next = func() {
			for left < len(benchFrame) {
				n, err := body.Read(buf)
				if err != nil {
					b.Fatal(err)
				}
				left += n
			}
			left -= len(benchFrame)
		}
	}
	before, events := used(b), 0.0
	for b.Loop() {
		next()
		events++
	}
	b.ReportMetric((used(b)[0]-before[0])/events, "cpu-ns/op")
}

// used is the CPU time this process has had, in nanoseconds, the kernel's part of it, and its reads
// and writes so far.
func used(b *testing.B) (u [4]float64) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	u[0], u[1] = float64(r.Utime.Nano()+r.Stime.Nano()), float64(r.Stime.Nano())
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if i := slices.Index([]string{"syscr", "syscw"}, name); i >= 0 {
			u[2+i], _ = strconv.ParseFloat(value, 64)
		}
	}
	return u
}

const benchProtocol = "INFORMER_BENCH_PROTOCOL"

// benchServer starts a server in a process of its own, which ends when its standard input does.
func benchServer(b *testing.B, protocol string) *rest.Config {
	b.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestBenchServer$")
	cmd.Env = append(os.Environ(), benchProtocol+"="+protocol)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			b.Error(err)
		}
	})
	cfg := &rest.Config{DisableCompression: true}
	var ca string
	if _, err := fmt.Fscanf(bufio.NewReader(out), "%s %q\n", &cfg.Host, &ca); err != nil {
		b.Fatalf("the server has not started: %v", err)
	}
	cfg.CAData = []byte(ca)
	return cfg
}

// TestBenchServer is that process.
func TestBenchServer(t *testing.T) {
	protocol := os.Getenv(benchProtocol)
	if protocol == "" {
		t.Skip("it only serves BenchmarkWatch")
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(serveBench))
	cfg := wiretest.Start(server, protocol)
	fmt.Printf("%s %q\n", cfg.Host, cfg.CAData)
	_, _ = io.Copy(io.Discard, os.Stdin)
	server.CloseClientConnections()
	server.Close()
}

var benchFrame = func() []byte {
	var env strings.Builder
	for i := 0; env.Len() < 9800; i++ {
		fmt.Fprintf(&env, `{"name":"VARIABLE_%d","value":"value number %x"},`, i, i*i*7919)
	}
	return []byte(`{"type":"MODIFIED","object":` + podText("web-1",
		"0b2f2b0e-4bd5-4d8f-b5d5-0c6c2a0b7a11", 123456,
		`,"spec":{"env":[`+env.String()+`{}]}`) + "}\n")
}()

// serveBench sends events until nobody reads them. In a burst it flushes after some of them, as an
// API server does when it has no more for the moment.
func serveBench(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	single := r.URL.Query().Get("labelSelector") == "single"
	w.(http.Flusher).Flush()
	for i := 0; ; i++ {
		if _, err := w.Write(benchFrame); err != nil {
			return
		}
		if single || i%16 == 0 {
			w.(http.Flusher).Flush()
		}
		if single {
			time.Sleep(time.Millisecond)
		}
		if r.Context().Err() != nil {
			return
		}
	}
}
