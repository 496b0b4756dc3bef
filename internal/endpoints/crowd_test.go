package endpoints

import (
	"net"
	"net/http"
	"testing"

	"pgregory.net/rapid"
)

// from is a connection from an address that notes that it was closed.
type from struct {
	net.Conn
	address string
	closed  bool
}

func (c *from) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(c.address), Port: 1} }
func (c *from) Close() error         { c.closed = true; return nil }

// Whoever comes and goes: there are never too many, a new one is never the one that is closed, and
// who has fewer connections than another keeps them; of one address, what is answered stays as long
// as something waits.
func TestModelOfCrowd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := crowd{most: rapid.IntRange(1, 5).Draw(t, "most")}
		var all []*from
		working := map[*from]bool{}
		open := func() (n int, of map[string]int) {
			of = map[string]int{}
			for _, conn := range all {
				if !conn.closed {
					of[conn.address]++
					n++
				}
			}
			return n, of
		}
		t.Repeat(map[string]func(*rapid.T){
			"new": func(t *rapid.T) {
				before, of := open()
				was := map[*from]bool{}
				for _, conn := range all {
					was[conn] = conn.closed
				}
				conn := &from{address: rapid.SampledFrom([]string{"10.0.0.1", "10.0.0.2", "10.0.0.3"}).Draw(t, "address")}
				all = append(all, conn)
				c.note(conn, http.StateNew)
				for _, other := range all[:len(all)-1] {
					if other.closed == was[other] {
						continue
					}
					if before < c.most {
						t.Fatalf("a connection was closed: %d of %d", before, c.most)
					}
					for _, third := range all[:len(all)-1] {
						if third.closed {
							continue
						}
						if of[third.address] > of[other.address] {
							t.Fatalf("%s had %d, and %s %d", other.address, of[other.address], third.address, of[third.address])
						}
						if third.address == other.address && working[other] && !working[third] {
							t.Fatal("one was closed that was answered, and another one waits")
						}
					}
					delete(working, other)
				}
				if conn.closed {
					t.Fatal("the new one was closed")
				}
			},
			"next": func(t *rapid.T) {
				if len(all) == 0 {
					t.Skip()
				}
				conn := rapid.SampledFrom(all).Draw(t, "connection")
				if conn.closed {
					c.note(conn, http.StateClosed)
					return
				}
				state := rapid.SampledFrom([]http.ConnState{http.StateActive, http.StateIdle, http.StateClosed}).Draw(t, "state")
				c.note(conn, state)
				delete(working, conn)
				switch state {
				case http.StateActive:
					working[conn] = true
				case http.StateClosed:
					conn.closed = true
				}
			},
			"": func(t *rapid.T) {
				n, of := open()
				if n > c.most || n != len(c.conns) || len(of) != len(c.of) {
					t.Fatalf("%d are open of %d, %v and %v", n, c.most, of, c.of)
				}
			},
		})
	})
}
