package packing

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
)

// Writers and readers of flate are large, so all packers share them.
var (
	flateWriters = sync.Pool{New: func() any {
		w, err := flate.NewWriter(nil, flate.BestSpeed)
		if err != nil {
			panic(err) // the level is a constant
		}
		return w
	}}
	flateReaders = sync.Pool{New: func() any { return flate.NewReader(bytes.NewReader(nil)) }}
)

// flateBlock packs each text by itself. The text's length precedes the packed form.
type flateBlock struct{}

func flatePacker([][]byte) (packer, error) { return flateBlock{}, nil }

func (flateBlock) pack(scratch, text []byte) []byte {
	out := bytes.NewBuffer(binary.AppendUvarint(scratch[:0], uint64(len(text))))
	w := flateWriters.Get().(*flate.Writer)
	defer flateWriters.Put(w)
	w.Reset(out)
	must(w.Write(text))
	must(0, w.Close())
	return out.Bytes()
}

func (flateBlock) unpack(scratch, packed []byte) ([]byte, error) {
	return unflate(scratch, packed, nil)
}

// flateDict packs with the base as the dictionary, with the only function of flate that keeps no
// state for a dictionary. It uses only the base's last 8 KB.
type flateDict struct{ base []byte }

const flateDictSize = 8 << 10

func flateWorkloadPacker(samples [][]byte) (packer, error) {
	base := samples[0]
	return flateDict{exact(base[max(0, len(base)-flateDictSize):])}, nil
}

func (p flateDict) pack(scratch, text []byte) []byte {
	out := bytes.NewBuffer(binary.AppendUvarint(scratch[:0], uint64(len(text))))
	must(0, flate.StatelessDeflate(out, text, true, p.base))
	return out.Bytes()
}

func (p flateDict) unpack(scratch, packed []byte) ([]byte, error) {
	return unflate(scratch, packed, p.base)
}

func unflate(scratch, packed, dict []byte) ([]byte, error) {
	length, n := binary.Uvarint(packed)
	if n <= 0 {
		return nil, errors.New("flate: packed text has no length")
	}
	r := flateReaders.Get().(io.Reader)
	defer flateReaders.Put(r)
	if err := r.(flate.Resetter).Reset(bytes.NewReader(packed[n:]), dict); err != nil {
		return nil, err
	}
	text := sized(scratch, int(length))
	_, err := io.ReadFull(r, text)
	return text, err
}

// must is for writers into memory, which cannot fail.
func must(_ int, err error) {
	if err != nil {
		panic(err)
	}
}
