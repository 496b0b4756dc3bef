package object

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/informerd/informerd/pkg/informer/object/internal/align"
	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
	"github.com/informerd/informerd/pkg/informer/object/internal/reader"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

// Parser makes Objects from what the API server sends. It removes metadata.managedFields and
// replaces the data of Secrets by digests, unless told otherwise. It remembers some of the objects
// it has read, as long as they are in use, and reads similar ones faster. A Parser is not safe for
// concurrent use. The zero value is ready.
type Parser struct {
	// APIVersion and Kind are inserted into objects that have neither, such as the items of lists
	// of built-in kinds.
	APIVersion, Kind string
	// KeepManagedFields leaves metadata.managedFields in the text.
	KeepManagedFields bool
	// KeepSecretData leaves the values of a Secret in the text, readable by every filter, handler
	// and output.
	KeepSecretData bool
	// DigestKey is the key of the digests of Secrets: nobody can find a value by trying without it.
	// Parsers with the same key make the same digests. Default: a random key that all parsers of
	// the process share.
	DigestKey []byte
	// Plain makes plain objects only.
	Plain bool
	// Own, if set, reports whether an object is one of those to be parsed. Others that come in a
	// list or a watch are passed over behind the head of their metadata, which is all that is
	// checked of those in a watch. Own has to be true of what it cannot tell by empty strings.
	Own func(namespace, name, uid string) bool
	// OwnByUID: the uid is all that Own needs. Else it is the namespace, or the name of what has no
	// namespace.
	OwnByUID bool
	// Last, if set, returns the last known state of an object, made by this parser, or nil. Most
	// often the next state differs little from it.
	Last func(Key) *Object

	drop *reader.DropTree
	// lastStateOf is lastState if Last is set, made once.
	lastStateOf func(namespace, name string) align.LastState
	reader      reader.Reader
	builder     builder
	digester    *reader.Digester
	typeMeta    *typeMeta // of the last object

	eager          bool // read against any base and pack, worth it or not; for tests
	dontFollow     bool // do not follow last states
	secrets        bool // objects may be Secrets
	deduplicated   bool // the text is known to have no duplicate names
	deduplications int  // how many objects seemed to have some, for tests
}

// Drop adds fields that are removed on arrival, besides metadata.managedFields. Fields of the
// header cannot be dropped, nor can single items of arrays. Call it before the first object is
// parsed.
func (p *Parser) Drop(paths ...Path) error {
	for _, path := range paths {
		names, err := droppable(path)
		if err != nil {
			return err
		}
		p.dropTree().Add(names...)
	}
	return nil
}

// headerFields are the fields that cannot be dropped.
var headerFields = []string{
	"apiVersion", "kind", "metadata", "metadata.namespace", "metadata.name", "metadata.uid",
	"metadata.resourceVersion", "metadata.generation",
	"metadata.deletionTimestamp", "metadata.labels",
}

// droppable returns the names on the way to a field, or an error if it cannot be dropped.
func droppable(path Path) (names []string, err error) {
	if slices.Contains(headerFields, path.String()) || len(path.steps) == 0 {
		return nil, fmt.Errorf("%q cannot be dropped: every object needs it", path)
	}
	for _, st := range path.steps {
		if st.isIndex {
			return nil, fmt.Errorf(
				"%q cannot be dropped: only named fields can, not items of arrays", path)
		}
		names = append(names, st.key)
	}
	return names, nil
}

// dropTree returns the tree of fields to drop.
func (p *Parser) dropTree() *reader.DropTree {
	if p.drop == nil {
		p.drop = &reader.DropTree{}
		if !p.KeepManagedFields {
			p.drop.Add("metadata", "managedFields")
		}
	}
	return p.drop
}

// Parse returns the object in text, which may have white space around it. The Object has its own
// memory; text can be reused at once. The Object is plain. If it resembles one that was read
// before, Stored returns its packed form.
func (p *Parser) Parse(text []byte) (*Object, error) { return p.parse(view(text)) }

func (p *Parser) parse(s string) (*Object, error) {
	start := jsontext.SkipSpace(s, 0)
	end, err := p.read(s, start)
	if err != nil {
		return nil, err
	}
	if rest := jsontext.SkipSpace(s, end); rest < len(s) {
		return nil, scan.Unexpected(s, rest, "nothing after the object")
	}
	return p.build(start, end, false)
}

// ParseItem returns the object at the beginning of text, in its stored form, and its end in text.
// The object is nil if it is not an Own one. If text ends before the object does, the error is
// ErrTruncated.
func (p *Parser) ParseItem(text []byte) (o *Object, end int, err error) {
	s := view(text)
	start := jsontext.SkipSpace(s, 0)
	if _, foreign := p.foreign(s, start); foreign {
		end, err = ScanValue(text)
		return nil, end, err
	}
	if end, err = p.read(s, start); err != nil {
		return nil, end, err
	}
	o, err = p.build(start, end, true)
	return o, end, err
}

// read reads the object at i and returns its end, or the place of an error.
func (p *Parser) read(s string, i int) (end int, err error) {
	if p.Kind == "" || p.Kind == "Secret" {
		p.secrets = true
	}
	o := reader.Options{
		Plain: p.Plain, Eager: p.eager, Deduplicated: p.deduplicated, Secrets: p.secrets,
		DontFollow: p.dontFollow,
		Drop:       p.dropTree(),
	}
	if p.Last != nil && p.lastStateOf == nil {
		p.lastStateOf = p.lastState
	}
	o.LastState = p.lastStateOf
	return p.reader.Read(o, s, i)
}

// lastState returns what Last knows of an object, for the reader.
func (p *Parser) lastState(namespace, name string) (l align.LastState) {
	o := p.Last(Key{Namespace: namespace, Name: name})
	switch {
	case o == nil || o.isDense: // decompressing it would cost more than it saves
		return l
	case o.base == nil:
		l.Base = o.ownBase
		return l
	}
	return align.LastState{
		Base: o.base, Packed: true, Delta: o.delta(),
		Spec: int(o.header.spec), Status: int(o.header.status), Size: int(o.size),
		Depth:  int(o.depth),
		Fields: o.fields(),
	}
}

// build returns the Object that was just read, which is at s[start:end] of the text.
func (p *Parser) build(start, end int, stored bool) (*Object, error) {
	r, s := &p.reader, p.reader.Text
	if r.Name.Text(s) == "" {
		return nil, &scan.SyntaxError{Offset: start, Err: errors.New("object has no metadata.name")}
	}
	if r.Duplicates && !p.deduplicated {
		return p.parseDeduplicated(s[start:end], stored)
	}
	apiVersion, kind := r.APIVersion.Text(s), r.Kind.Text(s)
	inserted := ""
	if r.APIVersion.To == 0 && r.Kind.To == 0 && !r.NullType {
		apiVersion, kind = p.APIVersion, p.Kind
		inserted = p.insertedTypeMeta()
	}
	if apiVersion == "" || kind == "" {
		return nil, &scan.SyntaxError{Offset: start,
			Err: fmt.Errorf("object %s has no apiVersion or no kind",
				strconv.QuoteToASCII(r.Name.Text(s)))}
	}
	remember := !p.Plain
	if !p.KeepSecretData && kind == "Secret" && apiVersion == "v1" {
		remember = false
		if !p.secrets {
			// A Secret among other kinds: read it again as one.
			p.secrets, p.reader.Bases = true, reader.Bases{}
			return p.reparse(s[start:end], stored)
		}
		if p.digester == nil {
			p.digester = reader.NewDigester(p.DigestKey)
		}
		r.Redact(p.digester)
	}
	p.setType(apiVersion, kind)
	r.SortEdits()
	b := &p.builder
	b.Begin(r, start, end, inserted)
	if r.NonASCII && !b.ValidUTF8() {
		// Each invalid byte becomes U+FFFD, as in encoding/json.
		return p.reparse(string([]rune(s[start:end])), stored)
	}
	remember = remember && (b.Size >= align.MinBase || p.eager)
	var packed *Object
	if remember && b.pack() {
		packed = b.packed(p.typeMeta)
		r.RememberBase()
		if stored {
			return packed, nil
		}
	}
	if packed == nil && r.Followed { // a base needs all of its extents
		p.dontFollow = true
		o, err := p.reparse(s[start:end], stored)
		p.dontFollow = false
		return o, err
	}
	o := b.plain(p.typeMeta)
	if o.stored = packed; packed == nil && remember && r.Depth < align.MaxBaseDepth {
		o.ownBase = b.NewBase(o.JSON())
		r.RememberNewBase(o.ownBase)
	}
	return o, nil
}

// insertedTypeMeta returns the apiVersion and kind to insert into an object.
func (p *Parser) insertedTypeMeta() string {
	if p.builder.typeMetaText == "" {
		p.builder.typeMetaText = `"apiVersion":` + strconv.Quote(p.APIVersion) + `,"kind":` +
			strconv.Quote(p.Kind) + `,`
	}
	return p.builder.typeMetaText
}

// setType sets the type of the object.
func (p *Parser) setType(apiVersion, kind string) {
	if p.typeMeta == nil || p.typeMeta.apiVersion != apiVersion || p.typeMeta.kind != kind {
		p.typeMeta = &typeMeta{strings.Clone(apiVersion), strings.Clone(kind)}
	}
}

// reparse reads text instead of the object that was read.
func (p *Parser) reparse(text string, stored bool) (*Object, error) {
	end, err := p.read(text, 0)
	if err != nil {
		return nil, err
	}
	return p.build(0, end, stored)
}

// parseDeduplicated reads an object that seems to have duplicate names, without them.
func (p *Parser) parseDeduplicated(text string, stored bool) (*Object, error) {
	p.deduplications++
	text, err := reader.Deduplicate(text)
	if err != nil {
		return nil, err
	}
	p.deduplicated = true
	defer func() { p.deduplicated = false }()
	return p.reparse(text, stored)
}

// ScanValue checks the JSON value at the beginning of text, after white space, and returns its end.
// It does not look for duplicate names.
func ScanValue(text []byte) (end int, err error) {
	s := view(text)
	c := scan.Scanner{IgnoreNames: true}
	return c.Value(s, jsontext.SkipSpace(s, 0), 0)
}

// view returns bytes as a string without copying them. The string must not be used after the bytes
// have changed.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
