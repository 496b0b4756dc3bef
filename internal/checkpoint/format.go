package checkpoint

import (
	"encoding/binary"
	"hash/crc32"
	"math"
)

// A file has a head and blocks. Numbers are little-endian.
//
//	head    magic                                  8 bytes
//	        format                                 4
//	        kind: a log or a snapshot              4
//	        generation                             8
//	        number of the first block of its log   8
//	        nonce                                  8
//	        checksum of all before                 4
//	block   length of the payload                  4
//	        checksum                               4
//	        number                                 8
//	        payload
//
// Blocks of logs are numbered across all logs, so that a log that was cut off at the end of a block
// does not fit to the next one. Blocks of a snapshot are numbered from 1, and a block without
// payload and with length endMark ends it.
//
// The checksum of a block is over the nonce of its file and everything else of the block. The nonce
// is random, so that nothing in a payload, or left on the disk by an older file, is a valid block.

// Format is the version of a checkpoint, records included. No other one is read.
const Format = 2

const (
	headSize  = 8 + 4 + 4 + 8 + 8 + 8 + 4
	blockHead = 4 + 4 + 8
	// maxBlock is the length that no block exceeds.
	maxBlock = 1 << 30
	endMark  = math.MaxUint32
)

const magic = "informer"

// kind says what a file is.
type kind uint32

const (
	logFile kind = iota + 1
	snapshotFile
)

// head is the head of a file.
type head struct {
	kind       kind
	generation uint64
	first      uint64 // number of the first block of the log of this generation
	nonce      uint64
}

var (
	little     = binary.LittleEndian
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// append appends the head as it is in a file.
func (h head) append(b []byte) []byte {
	from := len(b)
	b = append(b, magic...)
	b = little.AppendUint32(b, Format)
	b = little.AppendUint32(b, uint32(h.kind))
	b = little.AppendUint64(b, h.generation)
	b = little.AppendUint64(b, h.first)
	b = little.AppendUint64(b, h.nonce)
	return little.AppendUint32(b, crc32.Checksum(b[from:], castagnoli))
}

// parseHead returns the head of a file at path that should be of a kind and generation.
func parseHead(path string, b []byte, want kind, generation uint64) (h head, err error) {
	if len(b) < headSize || string(b[:len(magic)]) != magic {
		return h, damaged(path, 0, "it is not a file of a checkpoint")
	}
	sum := crc32.Checksum(b[:headSize-4], castagnoli) == little.Uint32(b[headSize-4:])
	if found := little.Uint32(b[8:]); found != Format && !changedFormat(b) {
		return h, otherVersion(path, found)
	}
	h = head{kind(little.Uint32(b[12:])), little.Uint64(b[16:]), little.Uint64(b[24:]),
		little.Uint64(b[32:])}
	if !sum {
		return h, damaged(path, 0, "the checksum of its head is wrong")
	}
	if h.kind != want || h.generation != generation {
		return h, damaged(path, 0, "it is another file that was renamed")
	}
	return h, nil
}

// changedFormat reports whether a head is of this format, but for the number that says so.
func changedFormat(b []byte) bool {
	before := little.AppendUint32(append([]byte(nil), b[:8]...), Format)
	sum := crc32.Update(crc32.Checksum(before, castagnoli), castagnoli, b[12:headSize-4])
	return sum == little.Uint32(b[headSize-4:])
}

// seed is the checksum that those of a file's blocks go on from.
func (h head) seed() uint32 {
	return crc32.Checksum(little.AppendUint64(nil, h.nonce), castagnoli)
}

// appendBlockHead appends the head of a block, whose length may be endMark.
func appendBlockHead(b []byte, seed uint32, length uint32, number uint64, payload []byte) []byte {
	from := len(b)
	b = little.AppendUint32(b, length)
	b = little.AppendUint32(b, 0)
	b = little.AppendUint64(b, number)
	little.PutUint32(b[from+4:], blockSum(seed, b[from:], payload))
	return b
}

// blockSum returns the checksum of a block.
func blockSum(seed uint32, head, payload []byte) uint32 {
	sum := crc32.Update(seed, castagnoli, head[:4])
	sum = crc32.Update(sum, castagnoli, head[8:blockHead])
	return crc32.Update(sum, castagnoli, payload)
}
