package packing

import (
	"errors"

	"github.com/klauspost/compress/dict"
	"github.com/klauspost/compress/s2"
)

// s2Block packs each text by itself.
type s2Block struct{ encode func(dst, src []byte) []byte }

// The encoders of s2. All of them are read by s2.Decode, and what s2Snappy writes by any Snappy
// decoder, too.
var (
	s2Default = s2.Encode
	s2Better  = s2.EncodeBetter
	s2Snappy  = s2.EncodeSnappy
)

func s2Packer(encode func(dst, src []byte) []byte) func([][]byte) (packer, error) {
	return func([][]byte) (packer, error) { return s2Block{encode}, nil }
}

func (p s2Block) pack(scratch, text []byte) []byte { return p.encode(whole(scratch), text) }

func (p s2Block) unpack(scratch, packed []byte) ([]byte, error) {
	return s2.Decode(scratch, packed)
}

// whole makes the length of scratch its capacity: some of s2's encoders ask for the one, some for
// the other.
func whole(scratch []byte) []byte { return scratch[:cap(scratch)] }

// s2Dict packs with a dictionary, which keeps the tables that its first use has made: 32 KB, or 288
// KB for better.
type s2Dict struct {
	dict   *s2.Dict
	better bool
}

func (p s2Dict) pack(scratch, text []byte) []byte {
	if p.better {
		return p.dict.EncodeBetter(whole(scratch), text)
	}
	return p.dict.Encode(whole(scratch), text)
}

func (p s2Dict) unpack(scratch, packed []byte) ([]byte, error) {
	return p.dict.Decode(scratch, packed)
}

var errS2Dict = errors.New("s2: the sample makes no dictionary")

func newS2Dict(d *s2.Dict, better bool) (packer, error) {
	if d == nil {
		return nil, errS2Dict
	}
	return s2Dict{d, better}, nil
}

// s2SamplePacker has one pod as the dictionary of all.
func s2SamplePacker(samples [][]byte) (packer, error) {
	return newS2Dict(s2.MakeDict(s2Base(samples[0]), nil), false)
}

// s2TrainedPacker has the largest dictionary s2 can have, of what the samples have most in common.
func s2TrainedPacker(samples [][]byte) (packer, error) {
	d, err := dict.BuildS2Dict(samples, dict.Options{MaxDictSize: s2.MaxDictSize, HashBytes: 6})
	if err != nil {
		return nil, err
	}
	return newS2Dict(s2.NewDict(d), false)
}

func s2WorkloadPacker(samples [][]byte) (packer, error) {
	return newS2Dict(s2.MakeDict(s2Base(samples[0]), nil), false)
}

func s2WorkloadBetterPacker(samples [][]byte) (packer, error) {
	return newS2Dict(s2.MakeDict(s2Base(samples[0]), nil), true)
}

// s2Base copies a sample into memory that s2.MakeDict takes as it is: it wants 16 bytes of room
// behind it.
func s2Base(sample []byte) []byte { return append(make([]byte, 0, len(sample)+16), sample...) }

// s2Lazy keeps the base alone and makes the dictionary each time: its tables are not kept, but made
// for each text that is packed. Unpacking needs no tables.
type s2Lazy struct{ base []byte }

func s2WorkloadLazyPacker(samples [][]byte) (packer, error) {
	if s2.MakeDict(samples[0], nil) == nil {
		return nil, errS2Dict
	}
	return s2Lazy{s2Base(samples[0])}, nil
}

func (p s2Lazy) pack(scratch, text []byte) []byte {
	return s2.MakeDict(p.base, nil).Encode(whole(scratch), text)
}

func (p s2Lazy) unpack(scratch, packed []byte) ([]byte, error) {
	return s2.MakeDict(p.base, nil).Decode(scratch, packed)
}
