package deadletter

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"time"
)

// recordHead is the length of what is before the JSON of a stored letter: the checksum of its key
// and of all that follows, 4 bytes, and when it was stored, in ns since 1970.
const recordHead = 4 + 8

var (
	little     = binary.LittleEndian
	castagnoli = crc32.MakeTable(crc32.Castagnoli)

	errRecord = errors.New("it is not what was written")
)

// newRecord returns a letter as it is stored, without what seal adds. The parts that may be long are a
// value of JSON of their own, so that the rest can be read without them.
func newRecord(l *Letter) ([]byte, error) {
	fields := *l
	fields.ID, fields.Stored, fields.Superseded = "", time.Time{}, false
	fields.Object, fields.Old, fields.Message = nil, nil, nil
	if len(l.Error) > maxError {
		fields.Error = strings.ToValidUTF8(l.Error[:maxError], "")
	}
	b := bytes.NewBuffer(make([]byte, recordHead))
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(&fields); err != nil {
		return nil, fmt.Errorf("the dead letter cannot be written: %w", err) // a time of year 10000
	}
	var long []string // an encoder takes 13 ms to copy 1 MB
	for _, part := range []struct {
		name string
		text json.RawMessage
	}{{"object", l.Object}, {"old", l.Old}, {"message", l.Message}} {
		if len(part.text) > 0 {
			long = append(long, fmt.Sprintf("%q:%s", part.name, jsonOf(part.text)))
		}
	}
	fmt.Fprintf(b, "{%s}\n", strings.Join(long, ","))
	return bytes.Clone(b.Bytes()), nil
}

// jsonOf returns a text as it is if it is JSON, and as a string if not, so that every letter has a
// JSON form.
func jsonOf(text json.RawMessage) json.RawMessage {
	if len(text) == 0 || json.Valid(text) {
		return text
	}
	quoted, _ := json.Marshal(string(text)) // a string always has a JSON form
	return quoted
}

// seal completes a record.
func seal(record []byte, id uint64, stored int64) {
	little.PutUint64(record[4:], uint64(stored))
	little.PutUint32(record, recordSum(id, record))
}

func recordSum(id uint64, record []byte) uint32 {
	return crc32.Update(crc32.Checksum(keyOf(id), castagnoli), castagnoli, record[4:])
}

// checkRecord returns an error if a value in the file is not what was written.
func checkRecord(bucket, key, value []byte) error {
	switch {
	case len(key) != 8:
	case bytes.Equal(bucket, lettersBucket):
		if id := binary.BigEndian.Uint64(key); len(value) >= recordHead &&
			little.Uint32(value) == recordSum(id, value) {
			return nil
		}
	case bytes.Equal(bucket, supersededBucket) && bytes.Equal(key, value):
		return nil
	}
	return errRecord
}

// parseRecord returns the letter of a record, copied; without the texts if heads is set.
func parseRecord(id uint64, record []byte, heads bool) (l Letter, err error) {
	if err := checkRecord(lettersBucket, keyOf(id), record); err != nil {
		return Letter{}, err
	}
	d := json.NewDecoder(bytes.NewReader(record[recordHead:]))
	if err = d.Decode(&l); err == nil && !heads {
		err = d.Decode(&l) // adds the texts
	}
	if err != nil {
		return Letter{}, errRecord
	}
	l.ID, l.Superseded = idText(id), false
	l.Stored = time.Unix(0, int64(little.Uint64(record[4:]))).UTC()
	return l, nil
}

// keyOf returns an ID as a key in the file, which sorts as the number does.
func keyOf(id uint64) []byte { return binary.BigEndian.AppendUint64(nil, id) }

func idText(id uint64) string { return fmt.Sprintf("%016x", id) }

// parseID returns 0 for what is no ID.
func parseID(text string) uint64 {
	id, err := strconv.ParseUint(text, 16, 64)
	if err != nil || len(text) != 16 {
		return 0
	}
	return id
}
