package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	apiVersion = "conformance.test/v1"
	kind       = "Thing"
	namespace  = "shop"
)

// thing is one state of an object. Its text follows from these fields alone.
type thing struct {
	name, uid string
	version   int
}

// text is the object as JSON; bare leaves out what items of built-in lists do not have.
func (o thing) text(bare bool) string {
	head := fmt.Sprintf(`"apiVersion":%q,"kind":%q,`, apiVersion, kind)
	if bare {
		head = ""
	}
	// From a few bytes to more than a client reads at once.
	padding := o.version * 7919 % 400
	if o.version%41 == 0 {
		padding = 40_000
	}
	return fmt.Sprintf(`{%s"metadata":{"name":%q,"namespace":%q,"uid":%q,"resourceVersion":"%d"},"spec":{"n":%d,"text":"é\n}%s"}}`,
		head, o.name, namespace, o.uid, o.version, o.version, strings.Repeat("x", padding))
}

// frame is one entry of the server's history.
type frame struct {
	typ string
	thing
}

func (f frame) text() string { return watchFrame(f.typ, f.thing.text(false)) }

func watchFrame(typ, object string) string {
	return fmt.Sprintf(`{"type":%q,"object":%s}`+"\n", typ, object)
}

func bookmark(version int, endsList bool) string {
	annotation := ""
	if endsList {
		annotation = `,"annotations":{"k8s.io/initial-events-end":"true"}`
	}
	return watchFrame("BOOKMARK",
		fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"resourceVersion":"%d"%s}}`, apiVersion,
			kind, version, annotation))
}

// verb is what a change does to an object.
type verb int

const (
	put      verb = iota // create or update
	remove               // nothing, if there is no such object
	recreate             // delete, if there is one, and create with another UID
)

var verbNames = [...]string{put: "put", remove: "remove", recreate: "recreate"}

// change is one write to the server.
type change struct {
	verb verb
	name string
	// quiet: no watch tells of it. Of a recreation, half tells of the creation alone.
	quiet, half bool
}

func (c change) String() string {
	s := verbNames[c.verb] + " " + c.name
	switch {
	case c.quiet:
		s += " (quietly)"
	case c.half:
		s += " (the delete quietly)"
	}
	return s
}

// world is what the server has: the objects, what its watches tell of them, and how it was at each
// version.
type world struct {
	version   int
	uids      int
	things    map[string]thing
	history   []frame
	compacted int // watches from an older version have expired
	past      map[int][]thing
}

func newWorld() *world {
	w := &world{version: 100, things: map[string]thing{}, past: map[int][]thing{}}
	w.past[w.version] = nil
	return w
}

// apply returns the frames that watches get to see.
func (w *world) apply(c change) []frame {
	before := len(w.history)
	old, exists := w.things[c.name]
	if exists && c.verb != put {
		w.version++
		delete(w.things, c.name)
		old.version = w.version
		w.record(frame{"DELETED", old}, c.quiet || c.half)
		exists = false
	}
	if c.verb != remove {
		w.version++
		typ, o := "MODIFIED", thing{c.name, old.uid, w.version}
		if !exists {
			w.uids++
			typ, o.uid = "ADDED", fmt.Sprintf("uid-%d", w.uids)
		}
		w.things[c.name] = o
		w.record(frame{typ, o}, c.quiet)
	}
	return slices.Clone(w.history[before:])
}

func (w *world) record(f frame, quiet bool) {
	if !quiet {
		w.history = append(w.history, f)
	}
	names := slices.Sorted(maps.Keys(w.things))
	for _, name := range names {
		w.past[w.version] = append(w.past[w.version], w.things[name])
	}
}

// at returns the objects at a version, in the order of their names, or at the oldest version there
// is.
func (w *world) at(version int) (things []thing, actual int) {
	actual = max(version, 100)
	return w.past[actual], actual
}

// since returns what watches from a version on see.
func (w *world) since(version int) []frame {
	var frames []frame
	for _, f := range w.history {
		if f.version > version {
			frames = append(frames, f)
		}
	}
	return frames
}
