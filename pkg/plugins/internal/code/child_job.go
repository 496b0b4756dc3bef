package code

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// compileJob is what a child is to do. The input follows it.
type compileJob struct {
	Dir    string        // the folder to write to
	Size   int           // of the input, in bytes
	Time   time.Duration // of the processor
	Memory int64         // resident bytes
}

// jobUsage is what a job took.
type jobUsage struct {
	Time   time.Duration // of the processor
	Memory int64         // resident bytes at most, 0 if that is unknown
}

// What a limit is of.
const (
	ofTime   = "time"
	ofClock  = "clock" // the process got too little of the processor
	ofMemory = "memory"
)

// limitError says that a child would have needed more than it may have.
type limitError struct {
	of   string // OfTime, OfClock or OfMemory
	text string
}

func (e *limitError) Error() string { return e.text }

// errFolder says that the job's folder cannot be written to.
var errFolder = errors.New("the folder cannot be written to")

// answer is what a child says at its end.
type answer struct {
	Used    jobUsage
	Error   string `json:",omitempty"`
	Limit   string `json:",omitempty"` // OfTime or OfMemory, with Error
	Folder  bool   `json:",omitempty"` // Error is that of the folder
	Started bool   // false: it came to no answer
}

// maxHeader is the most bytes of a job or an answer as text.
const maxHeader = 64 << 10

func writeHeader(w io.Writer, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...))
	return err
}

func readHeader(r io.Reader, v any) error {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > maxHeader {
		return fmt.Errorf("a header of %d bytes, at most %d are allowed", n, maxHeader)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}
