package object

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/klauspost/compress/zstd"
)

const (
	// dictionaryID takes a byte in each compressed text. It is always the same, as every text comes
	// with its dictionary.
	dictionaryID = 1
	// zstdWindow bounds the memory of an encoder: about 0.4 MB, and 0.7 MB with a dictionary.
	zstdWindow = 128 << 10
)

// newEncoder returns an encoder for the goroutine that calls it. It has a channel, which
// testing/synctest ties to the bubble that it is made in. dictionary may be "".
func newEncoder(dictionary string) *zstd.Encoder {
	options := []zstd.EOption{
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(zstdWindow),
		zstd.WithEncoderCRC(false),
		zstd.WithLowerEncoderMem(true), zstd.WithEncoderConcurrency(1),
	}
	if dictionary != "" {
		options = append(options, zstd.WithEncoderDictRaw(dictionaryID, bytesOf(dictionary)))
	}
	e, err := zstd.NewWriter(nil, options...)
	mustSucceed(err)
	return e
}

// pooledDecoder is a decoder for one goroutine at a time.
type pooledDecoder struct {
	mu         sync.Mutex
	zstd       *zstd.Decoder
	dictionary string
}

// decoders are shared by all goroutines. They are made when the program starts, outside of any
// synctest bubble, and take about 10 KB each.
var decoders = func() []*pooledDecoder {
	all := make([]*pooledDecoder, min(runtime.GOMAXPROCS(0), 16))
	for i := range all {
		d, err := zstd.NewReader(nil, zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(1))
		mustSucceed(err)
		all[i] = &pooledDecoder{zstd: d}
	}
	return all
}()

// lockDecoder returns an unused decoder, locked, and most often one that has the dictionary
// already.
func lockDecoder(dictionary string) *pooledDecoder {
	address := uintptr(unsafe.Pointer(unsafe.StringData(dictionary)))
	from := int(address >> 8 % uintptr(len(decoders)))
	for i := range decoders {
		if d := decoders[(from+i)%len(decoders)]; d.mu.TryLock() {
			return d
		}
	}
	d := decoders[from]
	d.mu.Lock()
	return d
}

// decompress appends the text that was compressed with the dictionary.
func decompress(dst []byte, compressed, dictionary string) []byte {
	d := lockDecoder(dictionary)
	defer d.mu.Unlock()
	if dictionary != "" && d.dictionary != dictionary {
		mustSucceed(d.zstd.ResetWithOptions(nil,
			zstd.WithDecoderDictRaw(dictionaryID, bytesOf(dictionary))))
		d.dictionary = dictionary
	}
	dst, err := d.zstd.DecodeAll(bytesOf(compressed), dst)
	mustSucceed(err)
	return dst
}

// mustSucceed panics on an error. Only wrong options or overwritten memory can cause one.
func mustSucceed(err error) {
	if err != nil {
		panic(fmt.Sprintf("object: zstd: %v", err))
	}
}

// bytesOf returns the bytes of a text without copying them. Nobody may change them.
func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }
