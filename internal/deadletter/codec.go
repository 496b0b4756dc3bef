package deadletter

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strconv"
	"strings"
	"time"
)

// A record is a letter as it is stored: numbers, its fields as JSON, and the texts as they are.
//
//	checksum of all that follows and of the ID   4 bytes
//	format, 1                                    1
//	when it was stored, in ns since 1970         8
//	lengths of fields, object and old            3 * 4
//	fields, object, old, message
const (
	recordFormat = 1
	recordHead   = 4 + 1 + 8 + 3*4
)

var (
	little     = binary.LittleEndian
	castagnoli = crc32.MakeTable(crc32.Castagnoli)

	errRecord = errors.New("it is not what was written")
)

// newRecord returns the record of a letter without its ID and time, which seal adds.
func newRecord(l *Letter) ([]byte, error) {
	fields := *l
	fields.ID, fields.Stored, fields.Superseded = "", time.Time{}, false
	fields.Object, fields.Old, fields.Message = nil, nil, nil
	fields.Error = bounded(l.Error, MaxError)
	object, old, message := jsonOf(l.Object), jsonOf(l.Old), jsonOf(l.Message)
	head, err := json.Marshal(&fields)
	if err != nil {
		return nil, fmt.Errorf("the dead letter cannot be written: %w", err) // a time of year 10000
	}
	size := recordHead + len(head) + len(object) + len(old) + len(message)
	if size > math.MaxInt32 {
		return nil, fmt.Errorf("%w: it has %d bytes", ErrTooLarge, size)
	}
	b := make([]byte, recordHead, size)
	b[4] = recordFormat
	little.PutUint32(b[13:], uint32(len(head)))
	little.PutUint32(b[17:], uint32(len(object)))
	little.PutUint32(b[21:], uint32(len(old)))
	b = append(b, head...)
	b = append(b, object...)
	b = append(b, old...)
	return append(b, message...), nil
}

// jsonOf returns a text as it is if it is JSON, and as a string if not, so that every letter has a
// JSON form.
func jsonOf(text json.RawMessage) json.RawMessage {
	if len(text) == 0 || json.Valid(text) {
		return text
	}
	quoted, err := json.Marshal(string(text))
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return quoted
}

// seal completes a record.
func seal(record []byte, id uint64, stored time.Time) {
	little.PutUint64(record[5:], uint64(stored.UnixNano()))
	little.PutUint32(record, recordSum(id, record))
}

func recordSum(id uint64, record []byte) uint32 {
	key := keyOf(id)
	return crc32.Update(crc32.Checksum(key[:], castagnoli), castagnoli, record[4:])
}

// checkLetter returns an error if a record is not what was written.
func checkLetter(id uint64, record []byte) error {
	if len(record) < recordHead || record[4] != recordFormat ||
		little.Uint32(record) != recordSum(id, record) {
		return errRecord
	}
	return nil
}

// parseRecord returns the letter of a record, copied; without the texts if heads is set.
func parseRecord(id uint64, record []byte, heads bool) (l Letter, err error) {
	if err := checkLetter(id, record); err != nil {
		return Letter{}, err
	}
	rest, parts := record[recordHead:], [3][]byte{}
	for i := range parts {
		n := little.Uint32(record[13+4*i:])
		if uint64(n) > uint64(len(rest)) {
			return Letter{}, errRecord
		}
		parts[i], rest = rest[:n], rest[n:]
	}
	if err := json.Unmarshal(parts[0], &l); err != nil {
		return Letter{}, errRecord
	}
	l.ID, l.Stored = idText(id), time.Unix(0, int64(little.Uint64(record[5:]))).UTC()
	l.Superseded, l.Object, l.Old, l.Message = false, nil, nil, nil
	if !heads {
		l.Object, l.Old, l.Message = clone(parts[1]), clone(parts[2]), clone(rest)
	}
	return l, nil
}

func clone(b []byte) json.RawMessage {
	if len(b) == 0 {
		return nil
	}
	return append(json.RawMessage(nil), b...)
}

// keyOf returns an ID as a key in the file, which sorts as the number does.
func keyOf(id uint64) (key [8]byte) {
	binary.BigEndian.PutUint64(key[:], id)
	return key
}

// keySum returns the checksum of a key that has nothing else.
func keySum(key []byte) []byte {
	return little.AppendUint32(nil, crc32.Checksum(key, castagnoli))
}

func idText(id uint64) string { return fmt.Sprintf("%016x", id) }

func parseID(text string) (id uint64, ok bool) {
	if len(text) != 16 {
		return 0, false
	}
	id, err := strconv.ParseUint(text, 16, 64)
	return id, err == nil
}

// bounded returns valid UTF-8 of at most n bytes.
func bounded(text string, n int) string {
	if len(text) > n {
		text = text[:n]
	}
	return strings.ToValidUTF8(text, "")
}
