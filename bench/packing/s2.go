package packing

import (
	"errors"

	"github.com/klauspost/compress/dict"
	"github.com/klauspost/compress/s2"
)

// s2Block packs each text by itself.
type s2Block struct{ encode func(dst, src []byte) []byte }

// The encoders of s2. s2.Decode reads the output of all of them, and any Snappy decoder that of
// s2Snappy.
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

// whole extends scratch to its capacity: some of s2's encoders use the length, some the capacity.
func whole(scratch []byte) []byte { return scratch[:cap(scratch)] }

// s2Dict packs with a dictionary, which keeps the tables made by its first use: 32 KB, or 288 KB
// for better.
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

var errS2Dict = errors.New("s2: the sample yields no dictionary")

func newS2Dict(d *s2.Dict, better bool) (packer, error) {
	if d == nil {
		return nil, errS2Dict
	}
	return s2Dict{d, better}, nil
}

// s2SamplePacker has one pod as the dictionary for all.
func s2SamplePacker(samples [][]byte) (packer, error) {
	return newS2Dict(s2.MakeDict(s2Base(samples[0]), nil), false)
}

// s2TrainedPacker has the largest dictionary of s2, made of what the samples have most in common.
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

// s2Base copies a sample into memory that s2.MakeDict uses as it is: it needs 16 spare bytes at the
// end.
func s2Base(sample []byte) []byte { return append(make([]byte, 0, len(sample)+16), sample...) }

// s2Lazy keeps only the base: it makes the dictionary and its tables for each text that it packs.
// Unpacking needs no tables.
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
