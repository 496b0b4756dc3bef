package buffer

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// spillFile is a first-in-first-out list of entries on local disk, bounded in bytes. It has no
// goroutine.
//
// It is a row of segments, of which the first is read and the last is written; a segment that has
// been read is closed. The files have no names: they are unlinked when they are made, so that
// nothing stays on disk, whatever ends the process.
//
// A record is, with numbers in little endian:
//
//	length   CRC-32C   header, text of the object, text of the old object
//	4 bytes  4 bytes   length bytes
//
// The header is JSON. A record that does not fit its checksum is an error; what is in the
// file behind it is not trusted.
type spillFile struct {
	dir      string
	maxBytes int64 // of all segments

	segments []*segment
	bytes    int64
	records  int
	origins  []*Origin // by their numbers in the records, which cannot hold pointers
	parser   object.Parser
	buf      []byte
	create   func(dir string) (File, error)
	failed   bool // a write has failed, and nothing more is written
}

// File is what a segment of a spill file is written to and read from.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

type segment struct {
	file            File
	readAt, writeAt int64
	records         int
}

// recordHeader is what an entry has besides texts.
type recordHeader struct {
	Op                event.Op
	Initial           bool          `json:",omitempty"`
	FinalStateUnknown bool          `json:",omitempty"`
	Resumed           bool          `json:",omitempty"`
	MaybeDelivered    bool          `json:",omitempty"`
	MaybeKnown        bool          `json:",omitempty"`
	Missed            int32         `json:",omitempty"`
	Initials          int32         `json:",omitempty"`
	Number            uint64        `json:",omitempty"`
	Arrived           event.Instant `json:",omitempty"`
	Since             event.Instant `json:",omitempty"` // 0: it is Arrived
	From              int
	Object, Old       int // lengths; an Old of 0 is none
}

var (
	errSpillFull    = errors.New("the spill file has reached its limit")
	errSpillCorrupt = errors.New("a record of the spill file does not fit its checksum")
	castagnoli      = crc32.MakeTable(crc32.Castagnoli)
)

const (
	recordPrefix = 8
	// segmentParts is over how many segments the limit is spread, so that space comes back bit by
	// bit.
	segmentParts = 8
)

func newSpillFile(dir string, maxBytes int64) *spillFile {
	// The texts went through the informer's parser once; nothing is to be cut out again.
	return &spillFile{dir: dir, maxBytes: maxBytes, create: unnamedFile,
		parser: object.Parser{KeepManagedFields: true, KeepSecretData: true, Plain: true}}
}

// push writes an entry at the end. After an error the entry is not in the file, and what was there
// can still be read: a disk that is full loses nothing. Nothing more is written after that.
func (s *spillFile) push(e Entry) error {
	if s.failed {
		return errSpillFull
	}
	h := recordHeader{
		Op: e.Op, Initial: e.Initial, FinalStateUnknown: e.FinalStateUnknown, Missed: e.Missed,
		Resumed: e.Resumed, MaybeDelivered: e.MaybeDelivered, MaybeKnown: e.MaybeKnown,
		Initials: e.Initials,
		Number:   e.Number, Arrived: e.Arrived, From: s.number(e.From), Object: e.Object.Size(),
	}
	if e.Old != nil {
		h.Old = e.Old.Size()
	}
	if e.Since != e.Arrived {
		h.Since = e.Since
	}
	head, err := json.Marshal(h)
	if err != nil {
		return err
	}
	b := append(s.buf[:0], make([]byte, recordPrefix)...)
	b = append(b, head...)
	b = append(b, e.Object.JSON()...)
	if e.Old != nil {
		b = append(b, e.Old.JSON()...)
	}
	s.buf = b
	binary.LittleEndian.PutUint32(b, uint32(len(b)-recordPrefix))
	binary.LittleEndian.PutUint32(b[4:], crc32.Checksum(b[recordPrefix:], castagnoli))
	if s.bytes+int64(len(b)) > s.maxBytes {
		return errSpillFull
	}
	seg, err := s.last()
	if err != nil {
		s.failed = true
		return err
	}
	if _, err := seg.file.WriteAt(b, seg.writeAt); err != nil {
		s.failed = true // what was written of the record is behind writeAt
		if seg.records == 0 {
			s.segments = s.segments[:len(s.segments)-1]
			_ = seg.file.Close()
		}
		return fmt.Errorf("cannot write the spill file: %w", err)
	}
	seg.writeAt += int64(len(b))
	seg.records++
	s.bytes += int64(len(b))
	s.records++
	return nil
}

// last returns the segment that is written, a new one if there is none or it has its share.
func (s *spillFile) last() (*segment, error) {
	if n := len(s.segments); n > 0 && s.segments[n-1].writeAt < s.maxBytes/segmentParts {
		return s.segments[n-1], nil
	}
	f, err := s.create(s.dir)
	if err != nil {
		return nil, err
	}
	s.segments = append(s.segments, &segment{file: f})
	return s.segments[len(s.segments)-1], nil
}

func unnamedFile(dir string) (File, error) {
	f, err := os.CreateTemp(dir, "informerd-spill-*")
	if err != nil {
		return nil, fmt.Errorf("cannot make a spill file: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot unlink the spill file: %w", err), f.Close())
	}
	return f, nil
}

// pop reads and removes the oldest entry. There is one if records is not 0. After an error the file
// must not be used any more.
func (s *spillFile) pop() (Entry, error) {
	seg := s.segments[0]
	var prefix [recordPrefix]byte
	if _, err := io.ReadFull(io.NewSectionReader(seg.file, seg.readAt, recordPrefix),
		prefix[:]); err != nil {
		return Entry{}, fmt.Errorf("cannot read the spill file: %w", err)
	}
	size := int64(binary.LittleEndian.Uint32(prefix[:]))
	if seg.readAt+recordPrefix+size > seg.writeAt {
		return Entry{}, errSpillCorrupt
	}
	b := make([]byte, size)
	if _, err := seg.file.ReadAt(b, seg.readAt+recordPrefix); err != nil {
		return Entry{}, fmt.Errorf("cannot read the spill file: %w", err)
	}
	if crc32.Checksum(b, castagnoli) != binary.LittleEndian.Uint32(prefix[4:]) {
		return Entry{}, errSpillCorrupt
	}
	e, err := s.decode(b)
	if err != nil {
		return Entry{}, err
	}
	seg.readAt += recordPrefix + size
	seg.records--
	s.records--
	if seg.records == 0 {
		s.bytes -= seg.writeAt
		s.segments = s.segments[1:]
		_ = seg.file.Close() // everything has been read
	}
	return e, nil
}

func (s *spillFile) decode(b []byte) (Entry, error) {
	end, err := object.ScanValue(b)
	if err != nil {
		return Entry{}, errSpillCorrupt
	}
	var h recordHeader
	if err := json.Unmarshal(b[:end], &h); err != nil || h.From >= len(s.origins) ||
		end+h.Object+h.Old != len(b) {
		return Entry{}, errSpillCorrupt
	}
	e := Entry{From: s.origins[h.From], Initials: h.Initials, Number: h.Number,
		Since: cmp.Or(h.Since, h.Arrived)}
	e.MaybeDelivered, e.MaybeKnown = h.MaybeDelivered, h.MaybeKnown
	e.Resumed, e.Arrived = h.Resumed, h.Arrived
	e.Op, e.Initial, e.FinalStateUnknown, e.Missed = h.Op, h.Initial, h.FinalStateUnknown, h.Missed
	if e.Object, err = s.parser.Parse(b[end : end+h.Object]); err != nil {
		return Entry{}, err
	}
	if h.Old > 0 {
		e.Old, err = s.parser.Parse(b[end+h.Object:])
	}
	return e, err
}

// number returns an origin's number in the records.
func (s *spillFile) number(from *Origin) int {
	for i, known := range s.origins {
		if known == from {
			return i
		}
	}
	s.origins = append(s.origins, from)
	return len(s.origins) - 1
}

// close closes all segments, which frees the disk.
func (s *spillFile) close() error {
	var errs []error
	for _, seg := range s.segments {
		errs = append(errs, seg.file.Close())
	}
	s.segments, s.bytes, s.records = nil, 0, 0
	return errors.Join(errs...)
}
