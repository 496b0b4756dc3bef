package object

import (
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// checkedDecoder decompresses texts that may not be what an encoder wrote. It serves one goroutine.
// The zero value is ready.
type checkedDecoder struct {
	// with and without are decoders with a dictionary and without any.
	with, without *zstd.Decoder
	dictionary    string // of with
}

// maxChecked bounds the memory of a checkedDecoder, which the text may claim to need.
const maxChecked = 64 << 20

// decompress returns the text that was compressed with the dictionary, in the memory of buffer if
// it has room. A text that is not size bytes long is an error.
func (c *checkedDecoder) decompress(buffer, compressed []byte, dictionary string,
	size int) ([]byte, error) {
	d := &c.without
	if dictionary != "" {
		d = &c.with
	}
	if *d == nil {
		var err error
		*d, err = zstd.NewReader(nil, zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxMemory(maxChecked), zstd.WithDecodeAllCapLimit(true))
		mustSucceed(err)
	}
	if dictionary != c.dictionary && dictionary != "" {
		if err := c.with.ResetWithOptions(nil,
			zstd.WithDecoderDictRaw(dictionaryID, bytesOf(dictionary))); err != nil {
			return nil, err
		}
		c.dictionary = dictionary
	}
	text, err := (*d).DecodeAll(compressed, slices.Grow(buffer[:0], size))
	if err == nil && len(text) != size {
		err = fmt.Errorf("%d bytes of text, not %d", len(text), size)
	}
	return text, err
}
