package compress

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/klauspost/compress/zstd"
)

const (
	// dictionaryID takes a byte in each text. There is one dictionary for an object, which it
	// refers to.
	dictionaryID = 1
	// zstdWindow bounds the memory of an encoder, which is some 0.4 MB, and 0.7 with a dictionary.
	zstdWindow = 128 << 10
)

// newEncoder makes an encoder, for the goroutine that makes it: it has a channel, which
// testing/synctest ties to the bubble it was made in.
func NewEncoder(dictionary string) *zstd.Encoder {
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

// decoder serves one goroutine at a time.
type pooledDecoder struct {
	mu         sync.Mutex
	zstd       *zstd.Decoder
	dictionary string
}

// decoders are shared by all who read dense objects. They are made when the program starts, outside
// of any synctest bubble, and take some 10 KB each.
var decoders = func() []*pooledDecoder {
	all := make([]*pooledDecoder, min(runtime.GOMAXPROCS(0), 16))
	for i := range all {
		d, err := zstd.NewReader(nil, zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(1))
		mustSucceed(err)
		all[i] = &pooledDecoder{zstd: d}
	}
	return all
}()

// lockDecoder returns a decoder that nobody else uses, and is locked: most often one that has the
// dictionary already.
func lockDecoder(dictionary string) *pooledDecoder {
	from := int(uintptr(unsafe.Pointer(unsafe.StringData(dictionary))) >> 8 % uintptr(
		len(decoders)))
	for i := range decoders {
		if d := decoders[(from+i)%len(decoders)]; d.mu.TryLock() {
			return d
		}
	}
	d := decoders[from]
	d.mu.Lock()
	return d
}

// decompress appends the text.
func Decompress(to []byte, compressed string, dictionary string) []byte {
	d := lockDecoder(dictionary)
	defer d.mu.Unlock()
	if dictionary != "" && d.dictionary != dictionary {
		mustSucceed(d.zstd.ResetWithOptions(nil,
			zstd.WithDecoderDictRaw(dictionaryID, bytesOf(dictionary))))
		d.dictionary = dictionary
	}
	to, err := d.zstd.DecodeAll(bytesOf(compressed), to)
	mustSucceed(err)
	return to
}

// mustWork is for what fails with wrong options alone, or if memory was overwritten.
func mustSucceed(err error) {
	if err != nil {
		panic(fmt.Sprintf("event: zstd: %v", err))
	}
}

// bytesOf looks at a text as bytes without copying it. Nobody may change them.
func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }
