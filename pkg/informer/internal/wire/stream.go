package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/informerd/informerd/pkg/informer/object"
)

const (
	// minBuffer is the buffer of a quiet stream, busyBuffer that of a stream whose reads fill the
	// former: with it, HTTP/2 sends a quarter as many window updates, and fewer values are found
	// that are not complete yet (BenchmarkWatch).
	minBuffer  = 32 << 10
	busyBuffer = 128 << 10
	// quietReads is the number of small reads in a row after which a stream is quiet.
	quietReads = 16
	// maxValue is the size of the longest JSON value that is read. etcd refuses objects above 1.5
	// MiB by default, so that only a broken server sends more.
	maxValue = 64 << 20
)

// stream cuts a reader's bytes into JSON values, wherever the values begin and end in the reads. It
// holds one value and what was read behind it, so that memory follows the largest value, not the
// length of the stream:
//
//	buf  │ taken │ value being read │ read ahead │ free │
//	     0       start                           end    len(buf)
type stream struct {
	r io.Reader
	// lines: a value most probably ends with a line, so that half a line need not be parsed.
	lines bool
	// idle, if set, is called before each read, which may block.
	idle func()

	buf        []byte
	start, end int   // what was read and not yet taken is buf[start:end]
	line       int   // no line ends in buf[start:line], if lines
	last       int   // length of the last value
	busy       bool  // the last read filled buf
	quiet      int   // reads in a row that were small
	err        error // of the last read; nothing comes after it
}

// errValueTooLong names the limit that a value exceeds.
var errValueTooLong = fmt.Errorf("a JSON value is longer than %d MiB", maxValue>>20)

// value calls parse with the bytes that come next. parse reads one value and returns where it ends;
// while it returns object.ErrTruncated, value reads on and calls it again. parse must not keep the
// bytes. At the end of the stream the error is io.EOF, in the middle of a value
// io.ErrUnexpectedEOF.
func (s *stream) value(parse func(text []byte) (end int, err error)) error {
	if _, err := s.peek(); err != nil {
		return err
	}
	if err := s.wholeLine(); err != nil {
		return err
	}
	for !s.lines && s.err == nil && s.end-s.start < s.last+s.last/16 {
		// Values are of similar size, so that this one is hardly complete. Nobody waits for it: a
		// list is only taken when its text has ended.
		if err := s.fill(); err != nil {
			return err
		}
	}
	for {
		text := s.buf[s.start:s.end]
		n, err := parse(text)
		switch {
		case errors.Is(err, object.ErrTruncated):
			if s.err != nil {
				return noEOF(s.err)
			}
		case err == nil && n == len(text) && s.err == nil && !closed(text[n-1]):
			// A number may continue in the next read.
		default:
			s.start += max(n, 0)
			s.last = n
			return err
		}
		if err := s.grow(len(text)); err != nil {
			return err
		}
	}
}

// wholeLine reads until the end of a line, or what might be the end of a value without one. It does
// not search if there is twice as much text as the last value had, since that costs as much as
// copying.
func (s *stream) wholeLine() error {
	for s.lines && s.err == nil && s.end-s.start < 2*s.last {
		from := max(s.line, s.start)
		if at := bytes.IndexByte(s.buf[from:s.end], '\n'); at >= 0 {
			s.line = from + at
			break
		}
		s.line = s.end
		if s.buf[s.end-1] == '}' {
			break
		}
		if err := s.fill(); err != nil {
			return err
		}
	}
	return nil
}

// closed reports whether a value that ends with this byte is complete. Numbers and words may
// continue.
func closed(last byte) bool { return last == '}' || last == ']' || last == '"' }

// grow reads until it is worth parsing again, so that a value of many reads is not scanned at each
// of them. A newline ends a watch frame; for a server that writes none, a closing brace or twice
// the length suffices.
func (s *stream) grow(had int) error {
	for {
		before := s.end - s.start
		if err := s.fill(); err != nil {
			return err
		}
		fresh := s.buf[s.start+before : s.end]
		if s.err != nil || s.end-s.start >= 2*had || bytes.IndexByte(fresh, '\n') >= 0 ||
			bytes.HasSuffix(fresh, []byte("}")) {
			return nil
		}
	}
}

// peek returns the next byte that is not white space, and leaves it there.
func (s *stream) peek() (byte, error) {
	for {
		for s.start < s.end {
			switch c := s.buf[s.start]; c {
			case ' ', '\n', '\t', '\r':
				s.start++
			default:
				return c, nil
			}
		}
		if s.err != nil {
			return 0, s.err
		}
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
}

// take reads one byte that must be there.
func (s *stream) take(want byte) error {
	c, err := s.peek()
	if err == nil && c != want {
		err = fmt.Errorf("expected %q, found %q", want, c)
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	s.start++
	return err
}

// close reads up to the end, which must come next. The checksum of a compressed stream is only
// checked there.
func (s *stream) close() error {
	switch c, err := s.peek(); {
	case err == nil:
		return fmt.Errorf("expected the end, found %q", c)
	case err == io.EOF:
		return nil
	default:
		return err
	}
}

// fill makes room and does one read.
func (s *stream) fill() error {
	if s.start == s.end {
		s.start, s.end, s.line = 0, 0, 0
		switch {
		case len(s.buf) > 2*busyBuffer, len(s.buf) > minBuffer && s.quiet >= quietReads:
			// A burst, or one huge object, must not hold memory for the rest of a quiet watch.
			s.release()
		case s.busy && len(s.buf) < busyBuffer:
			s.buf = takeBuffer(busyBuffer)
		}
	}
	if s.buf == nil {
		s.buf = make([]byte, minBuffer)
	}
	if s.end == len(s.buf) {
		held := s.end - s.start
		if held > maxValue {
			return errValueTooLong
		}
		to := s.buf
		if held > len(s.buf)/2 || s.busy && len(s.buf) < busyBuffer {
			to = takeBuffer(max(2*len(s.buf), busyBuffer, min(s.last+s.last/8, maxSpare)))
		}
		copy(to, s.buf[s.start:s.end])
		s.buf, s.start, s.end, s.line = to, 0, held, max(s.line-s.start, 0)
	}
	if s.idle != nil {
		s.idle()
	}
	n, err := s.r.Read(s.buf[s.end:])
	s.end += n
	s.busy = s.end == len(s.buf)
	if s.quiet++; n > minBuffer/4 {
		s.quiet = 0
	}
	s.err = err // what was read with it comes first
	return nil
}
