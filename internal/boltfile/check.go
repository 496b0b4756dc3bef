package boltfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// The file's layout, which the library does not check: it follows damaged page numbers and lengths
// to wherever they lead, and ends the process or writes over what is in use. So all of it is
// checked here before the library sees it. Numbers are the machine's own.
const (
	pageHead    = 16 // id u64, kind u16, count u16, overflow u32
	elementSize = 16
	metaSize    = 64
	bucketHead  = 16 // root page u64, sequence u64

	branchPage, leafPage, freelistPage = 1, 2, 0x10

	isBucket     = 1      // a leaf element's flag
	manyFree     = 0xffff // the freelist's count is its first element
	noFreelist   = 1<<64 - 1
	lowestPages  = 1 << 10
	highestPages = 1 << 24 // bytes
)

var native = binary.NativeEndian

// meta is what one of the first two pages says about the file.
type meta struct {
	pageSize                    int
	root, freelist, pages, txid uint64
}

func parseMeta(b []byte) (m meta, ok bool) {
	const magic, version = 0xed0cdaed, 2
	if len(b) < pageHead+metaSize {
		return meta{}, false
	}
	b = b[pageHead:]
	sum := fnv.New64a()
	sum.Write(b[:metaSize-8])
	if native.Uint32(b) != magic || native.Uint32(b[4:]) != version ||
		native.Uint64(b[metaSize-8:]) != sum.Sum64() {
		return meta{}, false
	}
	m = meta{int(native.Uint32(b[8:])), native.Uint64(b[16:]), native.Uint64(b[32:]),
		native.Uint64(b[40:]), native.Uint64(b[48:])}
	return m, m.pageSize >= lowestPages && m.pageSize <= highestPages && m.pages >= 2
}

// checker goes through a file.
type checker struct {
	file   io.ReaderAt
	meta   meta
	record Record
	owner  []uint64 // a bit for each page that belongs to something
	owned  uint64
	depth  int
	name   []byte // of the current bucket
}

// Record returns an error if a value is not what was written under that key of that bucket, the
// innermost one.
type Record func(bucket, key, value []byte) error

// Check returns what is wrong with a database of size bytes. It reads nothing that is not there.
func Check(file io.ReaderAt, size int64, record Record) error {
	m, err := findMeta(file, size)
	if err != nil {
		return err
	}
	if uint64(size)/uint64(m.pageSize) < m.pages {
		return fmt.Errorf("it is cut off: it has %d bytes, and should have %d pages of %d", size,
			m.pages, m.pageSize)
	}
	c := &checker{file: file, meta: m, record: record, owner: make([]uint64, m.pages/64+1)}
	for page := range uint64(2) {
		if err := c.own(page); err != nil {
			return err
		}
	}
	if m.freelist != noFreelist {
		if err := c.freelist(); err != nil {
			return err
		}
	}
	if err := c.bucket(m.root, nil); err != nil {
		return err
	}
	if left := m.pages - c.owned; left != 0 && m.freelist != noFreelist {
		return fmt.Errorf("%d of its pages belong to nothing", left)
	}
	return nil
}

// findMeta returns the newer of the two heads. Both must be valid: a head that is not was damaged,
// since it is written to one sector of a disk. The older one would be the state before what was
// promised to be there.
func findMeta(file io.ReaderAt, size int64) (m meta, err error) {
	wrong := errors.New("it is not a database, or one of its heads is damaged")
	read := func(at int64) (meta, bool) {
		b := make([]byte, pageHead+metaSize)
		if _, err := file.ReadAt(b, at); err != nil {
			return meta{}, false
		}
		return parseMeta(b)
	}
	m, ok := read(0)
	if !ok || int64(m.pageSize) >= size {
		return meta{}, wrong
	}
	other, ok := read(int64(m.pageSize))
	if !ok || other.pageSize != m.pageSize {
		return meta{}, wrong
	}
	if other.txid > m.txid {
		m = other
	}
	return m, nil
}

// page takes a page of a kind with all that overflows from it, for one owner.
func (c *checker) page(id uint64, kinds uint16) (b []byte, kind uint16, count int, err error) {
	if id >= c.meta.pages {
		return nil, 0, 0, fmt.Errorf("page %d is named, there are %d", id, c.meta.pages)
	}
	at := int64(id) * int64(c.meta.pageSize)
	b = make([]byte, c.meta.pageSize)
	if _, err := c.file.ReadAt(b, at); err != nil {
		return nil, 0, 0, err
	}
	kind, count = native.Uint16(b[8:]), int(native.Uint16(b[10:]))
	pages := uint64(native.Uint32(b[12:])) + 1
	if native.Uint64(b) != id || kind&kinds == 0 || kind&(kind-1) != 0 || pages > c.meta.pages-id {
		return nil, 0, 0, fmt.Errorf("page %d is broken", id)
	}
	for i := range pages {
		if err := c.own(id + i); err != nil {
			return nil, 0, 0, err
		}
	}
	if pages > 1 {
		b = make([]byte, pages*uint64(c.meta.pageSize))
		if _, err := c.file.ReadAt(b, at); err != nil {
			return nil, 0, 0, err
		}
	}
	return b, kind, count, nil
}

func (c *checker) own(id uint64) error {
	if id >= c.meta.pages || c.owner[id/64]&(1<<(id%64)) != 0 {
		return fmt.Errorf("page %d is used twice, or not there", id)
	}
	c.owner[id/64] |= 1 << (id % 64)
	c.owned++
	return nil
}

func (c *checker) freelist() error {
	b, _, count, err := c.page(c.meta.freelist, freelistPage)
	if err != nil {
		return err
	}
	ids, n := b[pageHead:], uint64(count)
	if n == manyFree {
		n, ids = native.Uint64(ids), ids[8:]
	}
	if n > uint64(len(ids)/8) {
		return errors.New("the list of free pages is broken")
	}
	for i := range n {
		if err := c.own(native.Uint64(ids[i*8:])); err != nil {
			return err
		}
	}
	return nil
}

// bucket goes through the tree of a bucket. The one of the file has no name.
func (c *checker) bucket(root uint64, name []byte) error {
	return c.within(name, func() error {
		_, err := c.node(root, nil)
		return err
	})
}

// within calls do while a bucket is the current one.
func (c *checker) within(name []byte, do func() error) error {
	const deepest = 4 // the file's bucket included
	if c.depth++; c.depth > deepest {
		return errors.New("its buckets are nested too deeply")
	}
	outer := c.name
	c.name = name
	defer func() { c.name = outer; c.depth-- }()
	return do()
}

// node goes through a page of a tree and what is below. Its keys ascend from low; the last is
// given.
func (c *checker) node(id uint64, low []byte) (last []byte, err error) {
	b, kind, count, err := c.page(id, branchPage|leafPage)
	if err != nil {
		return nil, err
	}
	if last, err = c.elements(b, kind, count, low); errors.Is(err, errElement) {
		return nil, fmt.Errorf("page %d is broken", id)
	}
	return last, err
}

var errElement = errors.New("an element is broken")

func (c *checker) elements(b []byte, kind uint16, count int, low []byte) (last []byte, err error) {
	last = low
	for i := range count {
		at := pageHead + i*elementSize
		if at+elementSize > len(b) {
			return nil, errElement
		}
		e, key, value := b[at:], []byte(nil), []byte(nil)
		if kind == leafPage {
			key, value, err = parts(e, native.Uint32(e[4:]), native.Uint32(e[8:]),
				native.Uint32(e[12:]))
		} else {
			key, _, err = parts(e, native.Uint32(e), native.Uint32(e[4:]), 0)
		}
		if order := bytes.Compare(key, last); err != nil || len(key) == 0 || order < 0 ||
			order == 0 && i > 0 {
			return nil, errElement
		}
		last = key
		switch {
		case kind == branchPage:
			last, err = c.node(native.Uint64(e[8:]), key)
		case native.Uint32(e)&isBucket != 0:
			err = c.inner(value, key)
		default:
			err = c.record(c.name, key, value)
		}
		if err != nil {
			return nil, err
		}
	}
	return last, nil
}

// inner goes through a bucket that is a value: a small one is there itself, as a page.
func (c *checker) inner(value, name []byte) error {
	if len(value) < bucketHead {
		return errElement
	}
	if root := native.Uint64(value); root != 0 {
		return c.bucket(root, name)
	}
	b := value[bucketHead:]
	if len(b) < pageHead || native.Uint16(b[8:]) != leafPage {
		return errElement
	}
	return c.within(name, func() error {
		_, err := c.elements(b, leafPage, int(native.Uint16(b[10:])), nil)
		return err
	})
}

// parts returns an element's key and value, one after the other at a place behind it.
func parts(e []byte, at, key, value uint32) (k, v []byte, err error) {
	if at < elementSize || uint64(at)+uint64(key)+uint64(value) > uint64(len(e)) {
		return nil, nil, errElement
	}
	return e[at:][:key], e[at+key:][:value], nil
}
