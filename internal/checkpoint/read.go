package checkpoint

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// reader reads the blocks of a file, one after the other.
type reader struct {
	path   string
	file   file
	size   int64
	head   head
	seed   uint32
	at     int64  // the end of what was read
	number uint64 // of the next block
	text   *bufio.Reader
	block  []byte
}

// brokenError says why there is no valid block at a place, although the file goes on.
type brokenError struct{ why string }

func (e *brokenError) Error() string { return e.why }

// readBuffer is how much of a file is read at once.
const readBuffer = 1 << 20

// openReader opens a file of a kind and generation and reads its head.
func openReader(d disk, dir string, k kind, generation uint64) (r *reader, err error) {
	path := k.path(dir, generation)
	f, err := d.Open(path)
	if err != nil {
		return nil, inFile(path, err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()
		}
	}()
	size, err := f.Size()
	if err != nil {
		return nil, inFile(path, err)
	}
	b := make([]byte, min(size, headSize))
	if _, err := f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, inFile(path, err)
	}
	h, err := parseHead(path, b, k, generation)
	if err != nil {
		return nil, err
	}
	r = &reader{path: path, file: f, size: size, head: h, seed: h.seed(), at: headSize, number: 1}
	if k == logFile {
		r.number = h.first
	}
	r.text = bufio.NewReaderSize(io.NewSectionReader(f, headSize, size-headSize),
		int(min(readBuffer, size)))
	return r, nil
}

func (r *reader) close() { _ = r.file.Close() }

// next returns the next block, which is valid until the next call. At the end of the file, or of a
// snapshot, the error is io.EOF. A *brokenError says that there is something else than a block.
func (r *reader) next() ([]byte, error) {
	rest := r.size - r.at
	switch {
	case rest == 0 && r.head.kind == logFile:
		return nil, io.EOF
	case rest < blockHead:
		return nil, &brokenError{"a block is cut off"}
	}
	var h [blockHead]byte
	if err := r.read(h[:]); err != nil {
		return nil, err
	}
	length, number := little.Uint32(h[:]), little.Uint64(h[8:])
	ends := length == endMark && r.head.kind == snapshotFile
	if ends {
		length = 0
	}
	if int64(length) > rest-blockHead {
		return nil, &brokenError{"a block is cut off, or its length is wrong"}
	}
	if number != r.number {
		return nil, &brokenError{fmt.Sprintf("block %d should be here", r.number)}
	}
	if cap(r.block) < int(length) {
		r.block = make([]byte, length)
	}
	r.block = r.block[:length]
	if err := r.read(r.block); err != nil {
		return nil, err
	}
	if blockSum(r.seed, h[:], r.block) != little.Uint32(h[4:]) {
		return nil, &brokenError{"the checksum of a block is wrong"}
	}
	r.at += blockHead + int64(length)
	r.number++
	switch {
	case ends && r.at < r.size:
		return nil, &brokenError{"the file goes on after its end"}
	case ends:
		return nil, io.EOF
	}
	return r.block, nil
}

// read fills b. That there is less than the size of the file is an error of the disk, not damage.
func (r *reader) read(b []byte) error {
	if _, err := io.ReadFull(r.text, b); err != nil {
		return inFile(r.path, err)
	}
	return nil
}

// each calls f with all blocks. For a torn end of the last log it returns true; r.at is its begin.
//
// A commit is answered before the next one begins. So a crash leaves at most one block that is not
// complete, and nothing valid follows it. If a valid block follows, the one before was damaged
// later, as was any block that is broken elsewhere.
func (r *reader) each(last bool, f func(block []byte) error) (torn bool, err error) {
	for {
		block, err := r.next()
		var broken *brokenError
		switch {
		case err == io.EOF:
			return false, nil
		case errors.As(err, &broken):
			if !last || r.head.kind != logFile {
				return false, damaged(r.path, r.at, broken.why)
			}
			if follows, err := r.blockFollows(); err != nil || !follows {
				return err == nil, err
			}
			return false, damaged(r.path, r.at, broken.why+", and valid blocks follow")
		case err != nil:
			return false, err
		}
		if err := f(block); err != nil {
			return false, err
		}
	}
}

// blockFollows reports whether there is a valid block anywhere after the broken one at r.at.
func (r *reader) blockFollows() (bool, error) {
	rest := make([]byte, r.size-r.at)
	if n, err := r.file.ReadAt(rest, r.at); n < len(rest) {
		return false, inFile(r.path, err)
	}
	most := r.number + uint64(len(rest)/blockHead)
	for at := 1; at+blockHead <= len(rest); at++ {
		b := rest[at:]
		number := little.Uint64(b[8:])
		if number <= r.number || number > most {
			continue
		}
		length := uint64(little.Uint32(b))
		if length <= uint64(len(b)-blockHead) &&
			blockSum(r.seed, b, b[blockHead:][:length]) == little.Uint32(b[4:]) {
			return true, nil
		}
	}
	return false, nil
}
