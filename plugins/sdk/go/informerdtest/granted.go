//go:build !wasip1

package informerdtest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
)

const (
	maxKey    = 256
	maxValue  = 64 << 10
	maxRandom = 64 << 10
)

// value is a value of kv.v1.
type value struct {
	text []byte
	end  time.Time // zero: never
}

// live returns a value that has not expired.
func (h *Host) live(key string) (value, bool) {
	v, ok := h.values[key]
	return v, ok && (v.end.IsZero() || h.Now().Before(v.end))
}

func (h *Host) store(key string, text []byte, ttl time.Duration) {
	v := value{text: bytes.Clone(text)}
	if ttl > 0 {
		v.end = h.Now().Add(ttl)
	}
	if h.values == nil {
		h.values = map[string]value{}
	}
	h.values[key] = v
}

// check returns the status of arguments that every host rejects.
func check(key string, text []byte, ttl int64) int32 {
	switch {
	case key == "" || len(key) > maxKey || ttl < 0:
		return badArgument
	case len(text) > maxValue:
		return quota
	}
	return 0
}

func (f *fake) KVGet(key string, buf []byte) int32 {
	if s := check(key, nil, 0); s != 0 {
		return s
	}
	v, ok := f.host.live(key)
	if !ok {
		return notFound
	}
	return copyWhole(buf, v.text)
}

func (f *fake) KVSet(key string, text []byte, ttl int64) int32 {
	if s := check(key, text, ttl); s != 0 {
		return s
	}
	if _, known := f.host.live(key); !known && f.host.maxKeys > 0 &&
		len(f.host.Keys()) >= f.host.maxKeys {
		return quota
	}
	f.host.store(key, text, time.Duration(ttl)*time.Millisecond)
	return 0
}

func (f *fake) KVDelete(key string) int32 {
	if s := check(key, nil, 0); s != 0 {
		return s
	}
	if _, ok := f.host.live(key); !ok {
		return notFound
	}
	delete(f.host.values, key)
	return 0
}

func (f *fake) KVCAS(key string, old, text []byte, ttl int64) int32 {
	if s := check(key, text, ttl); s != 0 {
		return s
	}
	v, ok := f.host.live(key)
	if ok != (old != nil) || ok && !bytes.Equal(v.text, old) {
		return 0
	}
	if s := f.KVSet(key, text, ttl); s != 0 {
		return s
	}
	return 1
}

func (f *fake) ClockNow() int64 { return f.host.Now().UnixNano() }

func (f *fake) RandomFill(b []byte) int32 {
	if len(b) > maxRandom {
		return badArgument
	}
	_, _ = f.random.Read(b) // never fails
	return 0
}

// newRandom returns a guest's random number generator.
func newRandom(n uint64) *rand.ChaCha8 {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], n)
	return rand.NewChaCha8(seed)
}

func (f *fake) HTTPRequest(head, body []byte) int32 {
	if f.phase != event {
		return wrongPhase
	}
	f.answer = nil
	var r struct {
		Method  string            `json:"method"`
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
	}
	if err := json.Unmarshal(head, &r); err != nil || !strings.Contains(r.URL, "://") {
		return badArgument
	}
	if r.Method == "" {
		r.Method = "GET"
	}
	f.host.requests = append(f.host.requests, Request{r.Method, r.URL, r.Headers, string(body)})
	a, ok := f.host.answers[r.Method+" "+r.URL]
	switch {
	case !ok:
		return unavailable
	case a.Err != nil:
		return statusOf(a.Err)
	}
	f.answer = &a
	return int32(a.Status)
}

// statusOf returns the status that the SDK turns into this error.
func statusOf(err error) int32 {
	for i, known := range []error{informerd.ErrBadArgument, informerd.ErrDenied,
		informerd.ErrQuota} {
		if errors.Is(err, known) {
			return int32(badArgument - i)
		}
	}
	return unavailable
}

func (f *fake) HTTPHeader(name string, buf []byte) int32 {
	if f.phase != event {
		return wrongPhase
	}
	if f.answer != nil {
		for header, text := range f.answer.Header {
			if strings.EqualFold(header, name) {
				return copyWhole(buf, text)
			}
		}
	}
	return notFound
}

func (f *fake) HTTPBody(off uint32, buf []byte) int32 {
	switch {
	case f.phase != event:
		return wrongPhase
	case f.answer == nil:
		return notFound
	}
	text := f.answer.Body
	return int32(copy(buf, text[min(int(off), len(text)):]))
}
