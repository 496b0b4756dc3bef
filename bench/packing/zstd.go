package packing

import (
	"sync"

	"github.com/klauspost/compress/dict"
	"github.com/klauspost/compress/zstd"
)

// zstdLevel makes the packers of one zstd level.
type zstdLevel zstd.EncoderLevel

const (
	zstdFastest = zstdLevel(zstd.SpeedFastest)
	zstdDefault = zstdLevel(zstd.SpeedDefault)
)

const (
	// zstdWindow is enough for the texts and for the larger dictionaries. An encoder's memory grows
	// with it.
	zstdWindow = 512 << 10
	// zstdTrained is the default dictionary size of the zstd command.
	zstdTrained = 112 << 10
	// zstdHistory is the size of the samples that one dictionary holds unchanged: with 50 workloads
	// a pod of each.
	zstdHistory = 384 << 10
	// zstdID is part of each packed text, so it is one of those that take a single byte.
	zstdID = 1
)

// zstdPacker lets as many goroutines pack and unpack at once as Go runs (GOMAXPROCS); each of them
// has the state of an encoder and a decoder, made on first use.
type zstdPacker struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

func (p *zstdPacker) pack(scratch, text []byte) []byte {
	return p.encoder.EncodeAll(text, scratch[:0])
}

func (p *zstdPacker) unpack(scratch, packed []byte) ([]byte, error) {
	return p.decoder.DecodeAll(packed, scratch[:0])
}

func (l zstdLevel) new(concurrency int, encoding []zstd.EOption, decoding []zstd.DOption) (
	*zstdPacker, error) {
	encoder, err := zstd.NewWriter(nil, append(encoding,
		zstd.WithEncoderLevel(zstd.EncoderLevel(l)), zstd.WithWindowSize(zstdWindow),
		zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true),
		zstd.WithEncoderConcurrency(concurrency))...)
	if err != nil {
		return nil, err
	}
	decoder, err := zstd.NewReader(nil, append(decoding,
		zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(concurrency))...)
	if err != nil {
		return nil, err
	}
	return &zstdPacker{encoder, decoder}, nil
}

// asManyAsGo is the concurrency of GOMAXPROCS.
const asManyAsGo = 0

func (l zstdLevel) alone([][]byte) (packer, error) { return l.new(asManyAsGo, nil, nil) }

// trained has a dictionary of what the samples have most in common.
func (l zstdLevel) trained(samples [][]byte) (packer, error) {
	d, err := dict.BuildZstdDict(samples, dict.Options{
		MaxDictSize: zstdTrained, HashBytes: 6, ZstdDictID: zstdID, ZstdLevel: zstd.EncoderLevel(l),
	})
	if err != nil {
		return nil, err
	}
	return l.withDict(d)
}

// history has a dictionary of unchanged samples, with the statistics of all.
func (l zstdLevel) history(samples [][]byte) (packer, error) {
	var history []byte
	for _, s := range samples {
		if len(history)+len(s) > zstdHistory {
			break
		}
		history = append(history, s...)
	}
	d, err := zstd.BuildDict(zstd.BuildDictOptions{
		ID: zstdID, Contents: samples, History: history, Offsets: [3]int{1, 4, 8},
		Level: zstd.EncoderLevel(l),
	})
	if err != nil {
		return nil, err
	}
	return l.withDict(d)
}

func (l zstdLevel) withDict(d []byte) (packer, error) {
	return l.new(asManyAsGo, []zstd.EOption{zstd.WithEncoderDict(d)},
		[]zstd.DOption{zstd.WithDecoderDicts(d)})
}

// workload has the base as a raw dictionary, and an encoder and a decoder for each workload.
func (l zstdLevel) workload(samples [][]byte) (packer, error) {
	base := exact(samples[0])
	return l.new(asManyAsGo, encodeWith(base), decodeWith(base))
}

func encodeWith(base []byte) []zstd.EOption {
	return []zstd.EOption{zstd.WithEncoderDictRaw(zstdID, base)}
}

func decodeWith(base []byte) []zstd.DOption {
	return []zstd.DOption{zstd.WithDecoderDictRaw(zstdID, base)}
}

// zstdLazy keeps only the base, and passes it to an encoder or decoder that all workloads share,
// for each use.
type zstdLazy struct{ base []byte }

var zstdStates = sync.Pool{New: func() any {
	p, err := zstdFastest.new(1, nil, nil)
	if err != nil {
		panic(err) // the options are constants
	}
	return p
}}

func zstdWorkloadLazyPacker(samples [][]byte) (packer, error) {
	return zstdLazy{exact(samples[0])}, nil
}

func (p zstdLazy) pack(scratch, text []byte) []byte {
	state := zstdStates.Get().(*zstdPacker)
	defer zstdStates.Put(state)
	if err := state.encoder.ResetWithOptions(nil, encodeWith(p.base)...); err != nil {
		panic(err) // any text can be a base
	}
	return state.pack(scratch, text)
}

func (p zstdLazy) unpack(scratch, packed []byte) ([]byte, error) {
	state := zstdStates.Get().(*zstdPacker)
	defer zstdStates.Put(state)
	if err := state.decoder.ResetWithOptions(nil, decodeWith(p.base)...); err != nil {
		return nil, err
	}
	return state.unpack(scratch, packed)
}
