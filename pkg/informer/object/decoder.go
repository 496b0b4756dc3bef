package object

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/informerd/informerd/pkg/informer/object/internal/align"
	"github.com/informerd/informerd/pkg/informer/object/internal/delta"
	"github.com/informerd/informerd/pkg/informer/object/internal/reader"
)

// Decoder reads what an [Encoder] has appended. Any input is safe: each text is parsed as if an API
// server had sent it, so a Decoder returns an object that keeps all promises of this package, or an
// error. Nothing is removed from a text, and the values of Secrets are not digested again.
//
// A Decoder keeps the shared texts in memory; forget it when everything is read. It serves one
// goroutine. The zero value is ready.
type Decoder struct {
	shared []*sharedText          // by number
	known  map[uint64]*sharedText // by hash, since another Encoder may share the same ones
	seed   maphash.Seed
	text   Parser  // makes plain objects
	own    Parser  // makes bases
	packed Parser  // makes packed objects
	base   *Object // the last state of the packed object to read
	zstd   checkedDecoder
	json   []byte
	ready  bool
}

// sharedText is a text that objects share.
type sharedText struct {
	text       string      // that of the base if there is one
	base       *Object     // the object with this text, nil if it was not needed yet
	dictionary *align.Base // nil if it was not needed yet
}

var (
	errCutOff  = errors.New("an encoded object is cut off")
	errRecord  = errors.New("an encoded object begins with an unknown number")
	errShared  = errors.New("an encoded object refers to a text that was not written")
	errTooBig  = errors.New("an encoded object is too large")
	errChanged = errors.New("an encoded object is not one that was written")
)

// Next returns the object at the beginning of b, and what follows it. After an error, what follows
// cannot be read.
func (d *Decoder) Next(b []byte) (o *Object, rest []byte, err error) {
	if !d.ready {
		d.begin()
	}
	in := input{b: b}
	for {
		switch kind := in.byte(); {
		case in.failed:
			return nil, nil, errCutOff
		case kind == sharedRecord:
			if err := d.share(&in); err != nil {
				return nil, nil, err
			}
			continue
		case kind == textRecord:
			o, err = plain(&d.text, view(in.text()))
		case kind == baseRecord:
			o, err = d.baseOf(in.number())
		case kind == packedRecord:
			o, err = d.readPacked(&in)
		case kind == denseRecord:
			o, err = d.readDense(&in)
		default:
			err = errRecord
		}
		if in.failed {
			err = errCutOff
		}
		if err != nil {
			return nil, nil, err
		}
		return o, in.b, nil
	}
}

// begin prepares the parsers, which leave every text as it is.
func (d *Decoder) begin() {
	d.known, d.seed = map[uint64]*sharedText{}, maphash.MakeSeed()
	for _, p := range []*Parser{&d.text, &d.own, &d.packed} {
		p.KeepManagedFields, p.KeepSecretData = true, true
	}
	d.text.Plain = true
	d.packed.Last = func(Key) *Object { return d.base }
	d.ready = true
}

// share reads a shared text.
func (d *Decoder) share(in *input) error {
	number, text := in.number(), view(in.text())
	switch {
	case in.failed:
		return errCutOff
	case number > uint64(len(d.shared)):
		return errShared
	case number == uint64(len(d.shared)):
		d.shared = append(d.shared, nil)
	}
	hash := maphash.String(d.seed, text)
	s := d.known[hash]
	if s == nil || s.text != text {
		s = &sharedText{text: strings.Clone(text)}
		d.known[hash] = s
	}
	d.shared[number] = s
	return nil
}

// find returns the shared text with a number.
func (d *Decoder) find(number uint64) (*sharedText, error) {
	if number >= uint64(len(d.shared)) {
		return nil, errShared
	}
	return d.shared[number], nil
}

// plain returns the plain object with a text.
func plain(p *Parser, text string) (*Object, error) {
	o, err := p.parse(text)
	if err != nil {
		return nil, fmt.Errorf("an encoded object: %w", err)
	}
	if o.JSON() != text {
		return nil, errChanged
	}
	return o, nil
}

// baseOf returns the plain object that is the base with a number.
func (d *Decoder) baseOf(number uint64) (*Object, error) {
	s, err := d.find(number)
	if err != nil {
		return nil, err
	}
	if s.base == nil {
		d.own.reader.Bases = reader.Bases{} // it must not be packed
		o, err := plain(&d.own, s.text)
		if err != nil {
			return nil, err
		}
		s.base, s.text = o, o.JSON()
	}
	return s.base, nil
}

// readPacked returns a packed object. It is read against its base, so most of it is only compared.
func (d *Decoder) readPacked(in *input) (o *Object, err error) {
	number, size, literals, ops := in.number(), in.number(), in.text(), in.text()
	switch {
	case in.failed:
		return nil, errCutOff
	case size > maxExpanded:
		return nil, errTooBig
	}
	if d.base, err = d.baseOf(number); err != nil {
		return nil, err
	}
	d.json, err = delta.Expand(d.json[:0], literals, ops, d.base.JSON(), int(size))
	if err != nil {
		return nil, fmt.Errorf("an encoded object: %w", err)
	}
	o, end, err := d.packed.ParseItem(d.json)
	if err != nil {
		return nil, fmt.Errorf("an encoded object: %w", err)
	}
	if end != len(d.json) || o.Size() != end {
		return nil, errChanged
	}
	return o, nil
}

// readDense returns a dense object.
func (d *Decoder) readDense(in *input) (*Object, error) {
	number, size, compressed := in.number(), in.number(), in.text()
	switch {
	case in.failed:
		return nil, errCutOff
	case size > maxExpanded:
		return nil, errTooBig
	}
	var dictionary *align.Base
	if number > 0 {
		s, err := d.find(number - 1)
		if err != nil {
			return nil, err
		}
		if s.dictionary == nil {
			s.dictionary = &align.Base{Text: s.text}
		}
		dictionary = s.dictionary
	}
	var err error
	d.json, err = d.zstd.decompress(d.json, compressed, dictionary.Dictionary(), int(size))
	if err != nil {
		return nil, fmt.Errorf("an encoded object: %w", err)
	}
	o, err := plain(&d.text, view(d.json))
	if err != nil {
		return nil, err
	}
	return o.compressed(compressed, dictionary), nil
}

// input is a text that is read from front to back. If it ends too early, failed is set.
type input struct {
	b      []byte
	failed bool
}

func (in *input) byte() byte {
	if len(in.b) == 0 {
		in.failed = true
		return 0
	}
	c := in.b[0]
	in.b = in.b[1:]
	return c
}

func (in *input) number() uint64 {
	v, n := binary.Uvarint(in.b)
	if n <= 0 {
		in.failed = true
		return 0
	}
	in.b = in.b[n:]
	return v
}

// text returns a text that has its length before it, which is a part of the input.
func (in *input) text() []byte {
	n := in.number()
	if n > uint64(len(in.b)) {
		in.failed = true
		return nil
	}
	text := in.b[:n:n]
	in.b = in.b[n:]
	return text
}
