package e2e

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// What strangers do with a connection, until it is closed or ctx is done.
var strangers = map[string]func(ctx context.Context, c net.Conn){
	"silent": func(ctx context.Context, c net.Conn) { trickle(ctx, c, "") },
	"slow header": func(ctx context.Context, c net.Conn) {
		trickle(ctx, c, "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Header: "+fmt.Sprint(make([]byte, 1000)))
	},
	"slow body": func(ctx context.Context, c net.Conn) {
		_, _ = io.WriteString(c, "POST /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n")
		trickle(ctx, c, fmt.Sprint(make([]byte, 1000)))
	},
	"half a TLS hello": func(ctx context.Context, c net.Conn) {
		trickle(ctx, c, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"+fmt.Sprint(make([]byte, 200)))
	},
	"TLS, and then nothing": func(ctx context.Context, c net.Conn) {
		secure := tls.Client(c, &tls.Config{InsecureSkipVerify: true})
		if secure.HandshakeContext(ctx) == nil {
			trickle(ctx, secure, "")
		}
	},
	"slow reader": func(ctx context.Context, c net.Conn) {
		for range 20 { // and reads nothing of the answers: more would be a flood of requests
			_ = c.SetWriteDeadline(time.Now().Add(time.Second))
			if _, err := io.WriteString(c, "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
				break
			}
		}
		trickle(ctx, c, "")
	},
}

// trickle writes a byte each second, and returns when the connection is closed or ctx is done.
func trickle(ctx context.Context, c net.Conn, text string) {
	for i := range 600 {
		if i < len(text) {
			if _, err := io.WriteString(c, text[i:i+1]); err != nil {
				return
			}
		}
		_ = c.SetReadDeadline(time.Now().Add(time.Second))
		_, err := c.Read(make([]byte, 1))
		if wait, ok := err.(net.Error); err != nil && !(ok && wait.Timeout()) || ctx.Err() != nil {
			return
		}
	}
}

// latencies are how long answers took.
type latencies struct{ all []time.Duration }

func (l *latencies) of(t *testing.T, what string, least int, p99, most time.Duration) {
	t.Helper()
	if slices.Sort(l.all); len(l.all) < least {
		t.Fatalf("%s: %d answers, want %d", what, len(l.all), least)
	}
	at, worst := l.all[len(l.all)*99/100], l.all[len(l.all)-1]
	if t.Logf("%s: %d answers, p50 %v, p99 %v, at most %v", what, len(l.all), l.all[len(l.all)/2], at,
		worst); at > p99 || worst > most {
		t.Errorf("%s: p99 %v and %v are allowed", what, p99, most)
	}
}

// resident returns the bytes of memory that the process has.
func (p *process) resident(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.cmd.Process.Pid))
	var size, resident int64
	if err == nil {
		_, err = fmt.Sscan(string(text), &size, &resident)
	}
	if err != nil {
		t.Fatal(err)
	}
	return resident * int64(os.Getpagesize())
}

// answers matches the lines of the log that have the addresses.
var answers = regexp.MustCompile(`msg="answering requests" address=(\S+) paths="\[([^]]*)\]"`)

// TestFlood has 10,000 strangers of six kinds, of a hundred addresses, at both ports for as long as
// FLOOD says: probes and who has a token get their answers all the same.
func TestFlood(t *testing.T) {
	duration, err := time.ParseDuration(os.Getenv("FLOOD"))
	if err != nil {
		t.Skip("make fault sets FLOOD to a duration; it needs most of two processors")
	}
	w := tokens{newWriting(t, "flood")}
	w.account("reader", "/metrics")
	p, _ := w.run("}\nhealth: {address: \"127.0.0.1:0\"")
	token := w.token("reader", "")
	var address, health string
	if err := p.await(p.err, func(lines string) error {
		for _, m := range answers.FindAllStringSubmatch(lines, -1) {
			if strings.HasPrefix(m[2], "/livez") {
				health = m[1]
			} else {
				address = m[1]
			}
		}
		if health == "" || address == "" {
			return fmt.Errorf("no addresses in\n%s", lines)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	ask := func(url, token string) (time.Duration, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			return 0, err
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		transport := &http.Transport{DisableKeepAlives: true,
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
		begun := time.Now()
		answer, err := transport.RoundTrip(r)
		if err != nil {
			return 0, err
		}
		defer answer.Body.Close()
		if _, err = io.Copy(io.Discard, answer.Body); err == nil && answer.StatusCode != http.StatusOK {
			err = fmt.Errorf("status %d", answer.StatusCode)
		}
		return time.Since(begun), err
	}
	for _, url := range []string{"http://" + health + "/livez", "http://" + health + "/readyz", "https://" + address + "/metrics"} {
		if err := eventually(func() error { _, err := ask(url, token); return err }); err != nil {
			t.Fatal(url, err)
		}
	}
	before := p.resident(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var dials atomic.Int64
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	number := 0
	for _, to := range []string{address, health} {
		for _, does := range strangers {
			for range 10_000 / 2 / len(strangers) {
				number++
				from := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(number%100+1))}}
				all.Go(func() {
					for {
						select {
						case <-time.After(time.Duration(rand.Int64N(int64(10 * time.Second)))):
						case <-ctx.Done():
							return
						}
						if c, err := from.DialContext(ctx, "tcp", to); err == nil {
							dials.Add(1)
							does(ctx, c)
							c.Close()
						}
					}
				})
			}
		}
	}
	var live, ready, scrapes latencies
	end, peak := time.Now().Add(duration), int64(0)
	each := time.NewTicker(100 * time.Millisecond)
	defer each.Stop()
	for n := 0; time.Now().Before(end); n++ {
		<-each.C
		for url, to := range map[string]*latencies{"http://" + health + "/livez": &live,
			"http://" + health + "/readyz": &ready, "https://" + address + "/metrics": &scrapes} {
			if to == &scrapes && n%10 > 0 {
				continue
			}
			took, err := ask(url, token)
			if err != nil {
				t.Errorf("%s: %v", url, err)
				took = time.Hour
			}
			to.all = append(to.all, took)
		}
		peak = max(peak, p.resident(t))
	}
	least := int(duration / time.Second)
	live.of(t, "/livez", least, 100*time.Millisecond, time.Second)
	ready.of(t, "/readyz", least, 100*time.Millisecond, time.Second)
	scrapes.of(t, "/metrics", least/4, time.Second, time.Second)
	if t.Logf("%d connections; %d MiB before, at most %d MiB", dials.Load(), before>>20, peak>>20); peak-before > 128<<20 {
		t.Errorf("it has %d MiB more", (peak-before)>>20)
	}
	stop()
	all.Wait()
	w.end(p)
}
