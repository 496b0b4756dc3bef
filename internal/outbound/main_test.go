package outbound

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// net/http reads this once, and would not find it later.
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		if err := os.Setenv(name, "http://127.0.0.1:1/"); err != nil {
			log.Fatal(err)
		}
	}
	goleak.VerifyTestMain(m)
}

// server answers on a loopback address; its URL ends without a slash.
func server(t testing.TB, answer http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return s.URL
}

// client makes a client that is closed before the servers that were started earlier.
func client(t testing.TB, config Config) *Client {
	t.Helper()
	if config.Methods == nil {
		config.Methods = []string{"GET", "POST"}
	}
	config.MaxHeaders, config.MaxRequest, config.MaxResponse = 4, 1000, 1000
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// send prepares and makes a request.
func send(ctx context.Context, c *Client, head Head, body string) (*Response, error) {
	r, err := c.Prepare(head, int64(len(body)))
	if err != nil {
		return nil, err
	}
	return c.Do(ctx, r, []byte(body))
}

func get(t testing.TB, c *Client, url string) (*Response, error) {
	t.Helper()
	return send(t.Context(), c, Head{Method: "GET", URL: url}, "")
}

// names resolves every name to one IPv4 address.
func names(address [4]byte) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn,
		error) {
		here, there := net.Pipe()
		go func() {
			defer there.Close()
			for answerName(there, address) == nil {
			}
		}()
		return here, nil
	}}
}

// answerName answers one DNS query. As the connection is no packet connection, messages have their
// length in front.
func answerName(c net.Conn, address [4]byte) error {
	var size [2]byte
	if _, err := io.ReadFull(c, size[:]); err != nil {
		return err
	}
	query := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(c, query); err != nil {
		return err
	}
	end := 12 // of the head; the question's name follows, its type and its class
	for query[end] != 0 {
		end += 1 + int(query[end])
	}
	end += 5
	if end > len(query) {
		return errors.New("no question")
	}
	const typeA, hasAnswer = 1, 0x8180
	answer := append([]byte{}, query[:end]...)
	binary.BigEndian.PutUint16(answer[2:], hasAnswer)
	binary.BigEndian.PutUint32(answer[8:], 0) // neither authorities nor additions
	if query[end-3] == typeA {
		answer[7] = 1
		// the question's name, for a minute
		answer = append(answer, 0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4)
		answer = append(answer, address[:]...)
	}
	_, err := c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...))
	return err
}

// quiet is for servers whose clients go away on purpose.
var quiet = log.New(io.Discard, "", 0)
