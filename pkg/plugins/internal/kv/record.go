package kv

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// A record is a checksum of all that belongs to a value, the time at which it is over, and the
// value: the library itself has no checksums for what it keeps.
const recordHead = 12

func appendRecord(b []byte, key string, v *Value) []byte {
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(v.Expires))
	b = append(b, v.Data...)
	binary.LittleEndian.PutUint32(b, checksum([]byte(key), b))
	return b
}

func parseRecord(key, record []byte) (value []byte, expires int64, err error) {
	if len(record) < recordHead || binary.LittleEndian.Uint32(record) != checksum(key, record) {
		return nil, 0, fmt.Errorf("the value of key %.64q is not what was written", key)
	}
	return record[recordHead:], int64(binary.LittleEndian.Uint64(record[4:])), nil
}

func checksum(key, record []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE(key), crc32.IEEETable, record[4:])
}

// checkRecord is parseRecord for the check of a whole file.
func checkRecord(_, key, record []byte) error {
	_, _, err := parseRecord(key, record)
	return err
}
