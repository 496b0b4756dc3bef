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

// Parser makes Objects from what the API server sends. The zero value is ready: it drops
// metadata.managedFields and replaces Secret data by digests. A Parser is not safe for concurrent
// use; each reader has its own. It remembers some of what it has read, as long as objects of it are
// in use, because it reads faster what resembles that.
type Parser struct {
	// APIVersion and Kind are given to objects that have neither member, as the items of built-in
	// lists do.
	APIVersion, Kind string
	// KeepManagedFields leaves metadata.managedFields in the text.
	KeepManagedFields bool
	// KeepSecretData leaves the values of a Secret in the text, readable by every filter, handler
	// and output.
	KeepSecretData bool
	// DigestKey is what the digests of Secrets are made with: who does not know it cannot find a
	// value by trying. Parsers with the same key make the same digests. Default: a random one that
	// all parsers of the process share.
	DigestKey []byte
	// Plain makes plain objects only.
	Plain bool
	// Last, if set, returns the last state that is known of an object, made by this parser, or nil.
	// Most often the next one differs from it in little.
	Last func(Key) *Object

	drop     *reader.DropTree
	reader   reader.Reader // reused from object to object
	builder  builder       // likewise
	digester *reader.Digester
	typeMeta *typeMeta
	// eager: each object is read against a base and packed if that can be done at all, worth it or
	// not; for tests.
	eager      bool
	dontFollow bool // last states are not followed
	// secrets: objects may be Secrets, so that more of them has to be looked at.
	secrets bool
	// deduplicated: the text is known to have no name twice.
	deduplicated   bool
	deduplications int // how many objects took a closer look for that, for tests
}

// Drop adds fields that are cut out on arrival, on top of metadata.managedFields. What the header
// needs cannot be dropped, nor can single items of arrays. Drop comes before the first object.
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

// headerFields cannot be dropped: without them an Object is none.
var headerFields = []string{
	"apiVersion", "kind", "metadata", "metadata.namespace", "metadata.name", "metadata.uid",
	"metadata.resourceVersion", "metadata.generation",
	"metadata.deletionTimestamp", "metadata.labels",
}

// droppable returns the names that lead to a field which can be dropped.
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

func (p *Parser) dropTree() *reader.DropTree {
	if p.drop == nil {
		p.drop = &reader.DropTree{}
		if !p.KeepManagedFields {
			p.drop.Add("metadata", "managedFields")
		}
	}
	return p.drop
}

// Parse reads one object. The text may have white space around it, and nothing else. The Object has
// its own memory; text can be reused at once. It is plain, and if it resembles one read before, it
// knows its packed form, too.
func (p *Parser) Parse(text []byte) (*Object, error) {
	s := view(text)
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

// ParseItem reads the object at the beginning of text and gives the offset behind it. If the text
// ends before the object does, the error is an ErrTruncated. The object is in its stored form.
func (p *Parser) ParseItem(text []byte) (o *Object, end int, err error) {
	s := view(text)
	start := jsontext.SkipSpace(s, 0)
	if end, err = p.read(s, start); err != nil {
		return nil, end, err
	}
	o, err = p.build(start, end, true)
	return o, end, err
}

// read checks the object at i and finds in it what there is to find.
func (p *Parser) read(s string, i int) (end int, err error) {
	if p.Kind == "" || p.Kind == "Secret" {
		p.secrets = true
	}
	o := reader.Options{
		Plain: p.Plain, TryAll: p.eager, Deduplicated: p.deduplicated, Secrets: p.secrets,
		DontFollow: p.dontFollow,
		Drop:       p.dropTree(),
	}
	if p.Last != nil {
		o.LastStates = (*parserLastStates)(p)
	}
	return p.reader.Read(o, s, i)
}

// parserStates is a parser that is asked for last states.
type parserLastStates Parser

func (p *parserLastStates) LastState(namespace, name string) (l align.LastState) {
	o := p.Last(Key{Namespace: namespace, Name: name})
	switch {
	case o == nil || o.dense: // to decompress it would cost more than it saves
		return l
	case o.base == nil:
		l.Base = o.ownBase
		return l
	}
	return align.LastState{
		Base: o.base, Packed: true, Delta: o.operations(),
		Spec: int(o.header.spec), Status: int(o.header.status), Size: int(o.size),
		Depth:  int(o.depth),
		Fields: o.fields(),
	}
}

// build makes the Object from the text that was just read, which stands at start to end.
func (p *Parser) build(start, end int, stored bool) (*Object, error) {
	r, s := &p.reader, p.reader.Text
	if r.Name.Text(s) == "" {
		return nil, &scan.SyntaxError{Offset: start, Err: errors.New("object has no metadata.name")}
	}
	if r.Duplicates && !p.deduplicated {
		return p.parseDeduplicated(s[start:end], stored)
	}
	apiVersion, kind := r.APIVersion.Text(s), r.Kind.Text(s)
	spliced := ""
	if r.APIVersion.To == 0 && r.Kind.To == 0 && !r.NullType {
		apiVersion, kind = p.APIVersion, p.Kind
		spliced = p.insertedTypeMeta()
	}
	if apiVersion == "" || kind == "" {
		return nil, &scan.SyntaxError{Offset: start,
			Err: fmt.Errorf("object %s has no apiVersion or no kind",
				strconv.QuoteToASCII(r.Name.Text(s)))}
	}
	remember := !p.Plain
	if !p.KeepSecretData && kind == "Secret" && apiVersion == "v1" {
		remember = false // nothing of a Secret's text stays
		if !p.secrets {
			// Nobody said that there would be any: read it again with more care.
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
	k := &p.builder
	k.Begin(r, start, end, spliced)
	if r.NonASCII && !k.ValidUTF8() {
		// Each bad byte becomes U+FFFD, as in encoding/json.
		return p.reparse(string([]rune(s[start:end])), stored)
	}
	remember = remember && (k.Size >= align.MinBase || p.eager)
	var packed *Object
	if remember && k.pack() {
		packed = k.packed(p.typeMeta)
		r.RememberBase()
		if stored {
			return packed, nil
		}
	}
	if packed == nil && r.Followed { // of what becomes a base, more has to be known
		p.dontFollow = true
		o, err := p.reparse(s[start:end], stored)
		p.dontFollow = false
		return o, err
	}
	o := k.plain(p.typeMeta)
	if o.stored = packed; packed == nil && remember && r.Depth < align.MaxBaseDepth {
		o.ownBase = k.NewBase(o.JSON())
		r.RememberNewBase(o.ownBase)
	}
	return o, nil
}

// splice is what an object without apiVersion and kind is given.
func (p *Parser) insertedTypeMeta() string {
	if p.builder.typeMetaText == "" {
		p.builder.typeMetaText = `"apiVersion":` + strconv.Quote(p.APIVersion) + `,"kind":` +
			strconv.Quote(p.Kind) + `,`
	}
	return p.builder.typeMetaText
}

func (p *Parser) setType(apiVersion, kind string) {
	if p.typeMeta == nil || p.typeMeta.apiVersion != apiVersion || p.typeMeta.kind != kind {
		p.typeMeta = &typeMeta{strings.Clone(apiVersion), strings.Clone(kind)}
	}
}

func (p *Parser) reparse(text string, stored bool) (*Object, error) {
	end, err := p.read(text, 0)
	if err != nil {
		return nil, err
	}
	return p.build(0, end, stored)
}

// parseDeduplicated reads an object in which, it seems, a name occurs twice.
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

// ScanValue checks the JSON value at the beginning of text, after white space, and returns the
// offset behind it.
func ScanValue(text []byte) (end int, err error) {
	s := view(text)
	c := scan.Scanner{IgnoreNames: true}
	return c.Value(s, jsontext.SkipSpace(s, 0), 0)
}

// view looks at bytes as a string without copying them. It must not outlive a change of the bytes:
// Parse, ParseItem and ParseWatchEvent use it while they run. The reader reads strings because an
// Object's text is one, so that one reader serves both.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// decodeOwn is decodeString with memory of its own.
func unescapedCopy(s string) string { return strings.Clone(jsontext.Unescape(s)) }
