package apiserver

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"github.com/informerd/informerd/bench/objects"
)

// Collection is the objects of one kind to serve, and the number of changes to prepare.
type Collection struct {
	Kind   *objects.Kind
	Count  int // of objects
	Size   int // of each, in bytes of JSON, approximately
	Events int // changes that Burst and Paced can release between two Resets
	// Churn replaces updates by alternating additions of new objects and deletions of the oldest
	// one, so that no object recurs.
	Churn bool
	// Protobuf also encodes the objects as protobuf, which doubles the memory. Pods only.
	Protobuf bool
}

// dataset is a collection's objects and changes in all encodings. It is immutable.
type dataset struct {
	Collection
	order []int // of the objects: change i is of object order[i%Count], except with churn
	json  *texts
	proto *texts // nil without Protobuf
}

// texts are a dataset in one encoding.
type texts struct {
	codec   codec
	objects [][]byte // as created, by object
	frames  [][]byte // watch frames, by change
	changed [][]byte // the object within each frame
}

// codec writes the structures around objects in one encoding.
type codec interface {
	contentType() string
	watchContentType() string
	// frame returns a watch frame, and the object's text within it.
	frame(event string, object []byte) (frame, text []byte)
	// bookmark returns a frame with only a resourceVersion.
	bookmark(version string, endsList bool) []byte
	// list writes a page in parts.
	list(meta pageMeta, page [][]byte, write func([]byte) error) error
}

// pageMeta is a page's list metadata.
type pageMeta struct {
	version   string
	next      string // the continue token
	remaining int64
}

func newDataset(c Collection) (*dataset, error) {
	switch {
	case c.Kind == nil:
		return nil, fmt.Errorf("collection without a kind")
	case c.Count <= 0 || c.Size <= 0 || c.Events < 0:
		return nil, fmt.Errorf(
			"collection of %s: count and size must be positive, events not negative",
			c.Kind.Resource)
	case c.Protobuf && c.Kind.Resource != objects.Pods.Resource:
		return nil, fmt.Errorf("collection of %s: only pods are served as protobuf",
			c.Kind.Resource)
	}
	d := &dataset{Collection: c, order: rand.New(rand.NewPCG(uint64(c.Count), 10)).Perm(c.Count)}
	d.json = newTexts(jsonCodec{c.Kind}, c)
	if c.Protobuf {
		d.proto = newTexts(protobufCodec{}, c)
	}
	errs := make([]error, c.Count+c.Events)
	parallel(c.Count, func(i int) { errs[i] = d.makeObject(i) })
	parallel(c.Events, func(i int) { errs[c.Count+i] = d.makeChange(i) })
	for _, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("collection of %s: %w", c.Kind.Resource, err)
		}
	}
	return d, nil
}

func newTexts(k codec, c Collection) *texts {
	return &texts{codec: k, objects: make([][]byte, c.Count), frames: make([][]byte, c.Events),
		changed: make([][]byte, c.Events)}
}

func (d *dataset) makeObject(i int) (err error) {
	text := d.Kind.At(uint64(i), d.Size, objects.Revision{})
	d.json.objects[i] = text
	if d.proto != nil {
		d.proto.objects[i], err = protobufPod(text)
	}
	return err
}

func (d *dataset) makeChange(i int) error {
	event, revision := "MODIFIED", objects.Revision{Number: 1 + i/d.Count,
		ResourceVersion: d.version(i + 1)}
	if d.Churn {
		event, revision.Number = [...]string{"ADDED", "DELETED"}[i%2], 0
	}
	text := d.Kind.At(uint64(d.object(i)), d.Size, revision)
	d.json.frames[i], d.json.changed[i] = d.json.codec.frame(event, text)
	if d.proto == nil {
		return nil
	}
	raw, err := protobufPod(text)
	if err == nil {
		d.proto.frames[i], d.proto.changed[i] = d.proto.codec.frame(event, raw)
	}
	return err
}

// object returns the seed of the object of change i.
func (d *dataset) object(i int) int {
	switch {
	case !d.Churn:
		return d.order[i%d.Count]
	case i%2 == 0:
		return d.Count + i/2
	default:
		return i / 2
	}
}

// version returns the resourceVersion after n changes.
func (d *dataset) version(n int) uint64 { return objects.FirstFreeVersion + uint64(n) }

// current returns the objects after n changes. The caller must not change the slice.
func (d *dataset) current(t *texts, n int) [][]byte {
	if n == 0 {
		return t.objects
	}
	if d.Churn {
		// All changes with an even number are additions; the oldest objects are gone.
		now := slices.Clone(t.objects)
		for i := 0; i < n; i += 2 {
			now = append(now, t.changed[i])
		}
		return now[n/2:]
	}
	now := slices.Clone(t.objects)
	for i := max(0, n-d.Count); i < n; i++ {
		now[d.object(i)] = t.changed[i]
	}
	return now
}

// parallel calls f for 0 to n-1 on all processors.
func parallel(n int, f func(i int)) {
	const batch = 64
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for from := range next {
				for i := from; i < min(from+batch, n); i++ {
					f(i)
				}
			}
		})
	}
	for from := 0; from < n; from += batch {
		next <- from
	}
	close(next)
	wg.Wait()
}
