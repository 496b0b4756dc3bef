package file

import (
	"cmp"
	"fmt"
	"os"
	"time"

	"github.com/informerd/informerd/internal/sink"
)

// Config says which file is written, and how.
type Config struct {
	// Path is the file's. It is created, with mode 0600, in a folder that exists.
	Path string
	// Rotate says when a new file is begun.
	Rotate Rotate
	// Sync says when the disk has what was written.
	Sync Sync
	// Fence is what lines have to pass; nil: none.
	Fence *sink.Fence
}

// Rotate says when the file is renamed and a new one begun.
type Rotate struct {
	Size int64         // the most bytes of a file, if it has more than one line; 0 is any size
	Age  time.Duration // when the file's first line is older; 0 is any age
	Keep int           // how many renamed files are kept; 0 is all
}

// Sync says when lines are on the disk, and not only with the operating system.
type Sync string

const (
	SyncInterval Sync = "interval" // a second after they were written; "" as well
	SyncAlways   Sync = "always"   // before Write returns
	SyncNever    Sync = "never"    // when the operating system does it
)

// syncInterval is how long lines may wait for the disk with SyncInterval.
const syncInterval = time.Second

// Writes are cheap, and with SyncAlways one fsync is for all messages of the jobs.
const (
	maxBatch = 256
	maxJobs  = 16
)

// Sink is the output. Make one with New, and Close it.
type Sink struct {
	*sink.Serial
	group *group
}

// New opens the file. What a retry cannot fix, such as a path that is a folder, is an error; a full
// disk, or a file that another process still writes, are left to Write.
func New(config Config) (*Sink, error) { return newSink(config, osDisk{}) }

func newSink(config Config, d opener) (*Sink, error) {
	config.Sync = cmp.Or(config.Sync, SyncInterval)
	path, err := resolve(config.Path)
	if err != nil {
		return nil, fmt.Errorf("file output: %w", err)
	}
	config.Path = path
	if before, after := newJournal(config, d).pattern(); config.Rotate != (Rotate{}) &&
		len(before)+len(stamp)+len(after) > maxName {
		return nil, fmt.Errorf("file output: the name of %s is too long to add the time to it",
			path)
	}
	s := &Sink{group: &group{journal: newJournal(config, d)}}
	if err := s.group.journal.ready(); err != nil && !mayPass(err) {
		return nil, fmt.Errorf("file output: %w", err)
	}
	s.Serial = sink.NewSerial(sink.SerialConfig{
		Sink: "file", Busy: "the disk takes nothing",
		Batch: maxBatch, Jobs: maxJobs,
		Do:  s.group.do,
		End: s.group.end,
	})
	return s, nil
}

// osFile and opener are what is done with files, so that tests can have a bad disk.
type osFile interface {
	Write([]byte) (int, error)
	ReadAt([]byte, int64) (int, error)
	Truncate(int64) error
	Stat() (os.FileInfo, error)
	Sync() error
	Close() error
}

type opener interface {
	// open opens or creates the file, locked.
	open(path string) (osFile, error)
	// create creates an empty file, unless there is one.
	create(path string) error
	rename(from, to string) error
	// syncFolder waits until the disk has the names in a folder.
	syncFolder(path string) error
}
