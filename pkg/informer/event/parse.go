package event

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
	"unsafe"
)

// Parser makes Objects from what the API server sends. The zero value is ready: it drops metadata.managedFields and
// replaces Secret data by digests. A Parser is not safe for concurrent use; each reader has its own.
type Parser struct {
	// APIVersion and Kind are given to objects that come with neither, as the items of built-in lists do.
	APIVersion, Kind string
	// KeepManagedFields leaves metadata.managedFields in the text.
	KeepManagedFields bool
	// KeepSecretData leaves the values of a Secret in the text, readable by every filter, handler and output.
	KeepSecretData bool

	drop    *dropTree
	scanned scanned // reused from object to object
}

// Drop adds fields that are cut out on arrival, on top of metadata.managedFields. What the header needs cannot be
// dropped, nor can single items of arrays.
func (p *Parser) Drop(paths ...Path) error {
	for _, path := range paths {
		if err := p.dropTree().add(path); err != nil {
			return err
		}
	}
	return nil
}

func (p *Parser) dropTree() *dropTree {
	if p.drop == nil {
		p.drop = &dropTree{}
		if !p.KeepManagedFields {
			p.drop.children = map[string]*dropTree{"metadata": {children: map[string]*dropTree{"managedFields": {cut: true}}}}
		}
	}
	return p.drop
}

// Parse reads one object. The text may have white space around it, and nothing else. The Object has its own memory;
// text can be reused at once.
func (p *Parser) Parse(text []byte) (*Object, error) {
	o, end, err := p.ParseFirst(text)
	if err != nil {
		return nil, err
	}
	if rest := skipSpace(view(text), end); rest < len(text) {
		return nil, syntaxErr(view(text), rest, "nothing after the object")
	}
	return o, nil
}

// ParseFirst reads the object at the beginning of text and gives the offset behind it. If the text ends before the
// object does, the error is an ErrTruncated.
func (p *Parser) ParseFirst(text []byte) (o *Object, end int, err error) {
	s := view(text)
	start := skipSpace(s, 0)
	end, err = p.scanObject(s, start)
	if err != nil {
		return nil, end, err
	}
	o, err = p.build(s, start, end)
	return o, end, err
}

// WatchEvent is one frame of a watch stream.
type WatchEvent struct {
	Type string // ADDED, MODIFIED, DELETED, BOOKMARK or ERROR, or what the server made of it
	// Object is set for ADDED, MODIFIED and DELETED.
	Object *Object
	// Text is a copy of the object's JSON for all other types, which carry something that has no name.
	Text string
}

// ObjectError says that a watch frame carries something that is no object.
type ObjectError struct{ Err error }

func (e *ObjectError) Error() string { return e.Err.Error() }

// Unwrap gives the reason.
func (e *ObjectError) Unwrap() error { return e.Err }

// ParseWatchEvent reads the frame {"type":…,"object":…} at the beginning of text and gives the offset behind it. If the
// text ends before the frame does, the error is an ErrTruncated. With an *ObjectError, the frame itself is whole and end
// is behind it, so that a reader may pass over an object that is none.
func (p *Parser) ParseWatchEvent(text []byte) (w WatchEvent, end int, err error) {
	s := view(text)
	m, err := enterObject(s, skipSpace(s, 0), 0)
	if err != nil {
		return w, 0, err
	}
	objectStart, objectEnd := -1, -1
	var objectErr error
	for {
		more, err := m.next()
		if err != nil {
			return w, m.at, err
		}
		if !more {
			break
		}
		switch m.key() {
		case "type":
			m.at, err = scanValue(s, m.value, m.depth)
			if err == nil && s[m.value] == '"' {
				w.Type = decodeOwn(s[m.value+1 : m.at-1])
			}
		case "object":
			objectStart = m.value
			m.at, objectErr = p.scanObject(s, m.value)
			if objectErr != nil && !errors.Is(objectErr, ErrTruncated) {
				m.at, err = scanValue(s, m.value, m.depth)
			} else {
				err = objectErr
			}
			objectEnd = m.at
		default:
			m.at, err = scanValue(s, m.value, m.depth)
		}
		if err != nil {
			return w, m.at, err
		}
	}
	if objectStart < 0 {
		return w, m.at, &ObjectError{errors.New("watch frame has no object")}
	}
	switch w.Type {
	case "ADDED", "MODIFIED", "DELETED":
		if objectErr == nil {
			w.Object, objectErr = p.build(s, objectStart, objectEnd)
		}
		if objectErr != nil {
			return w, m.at, &ObjectError{objectErr}
		}
		return w, m.at, nil
	default:
		w.Text = string(text[objectStart:objectEnd])
		return w, m.at, nil
	}
}

// build makes the Object from text[start:end], which scanObject has just read.
func (p *Parser) build(s string, start, end int) (*Object, error) {
	sc := &p.scanned
	if sc.name.text(s) == "" {
		return nil, &SyntaxError{Offset: start, Err: errors.New("object has no metadata.name")}
	}
	apiVersion, kind := sc.apiVersion.text(s), sc.kind.text(s)
	spliced := ""
	if sc.apiVersion.to == 0 && sc.kind.to == 0 {
		apiVersion, kind = p.APIVersion, p.Kind
		spliced = `"apiVersion":` + strconv.Quote(apiVersion) + `,"kind":` + strconv.Quote(kind) + `,`
	}
	if apiVersion == "" || kind == "" {
		return nil, &SyntaxError{Offset: start, Err: fmt.Errorf("object %s has no apiVersion or no kind", strconv.QuoteToASCII(sc.name.text(s)))}
	}
	if !p.KeepSecretData && kind == "Secret" && apiVersion == "v1" {
		sc.redact(s)
	}
	sc.sortEdits()
	size := end - start + len(spliced)
	for _, e := range sc.edits {
		size += len(e.with) - (e.to - e.from)
	}
	buf := make([]byte, 0, size)
	buf = append(buf, '{')
	buf = append(buf, spliced...)
	at := start + 1
	for _, e := range sc.edits {
		buf = append(buf, s[at:e.from]...)
		buf = append(buf, e.with...)
		at = e.to
	}
	buf = append(buf, s[at:end]...)
	raw := view(buf)
	if !utf8.ValidString(raw) {
		return p.parseRepaired(raw)
	}
	o := &Object{raw: raw}
	shift := len(spliced) - start
	o.header = header{
		apiVersion: apiVersion, kind: kind,
		namespace:         sc.own(raw, s, sc.namespace, shift),
		name:              sc.own(raw, s, sc.name, shift),
		uid:               sc.own(raw, s, sc.uid, shift),
		resourceVersion:   sc.own(raw, s, sc.resourceVersion, shift),
		deletionTimestamp: sc.own(raw, s, sc.deletionTimestamp, shift),
		labels:            sc.ownSpan(raw, sc.labels, shift),
		generation:        sc.generation,
		spec:              sc.ownPlace(sc.spec, shift), status: sc.ownPlace(sc.status, shift),
	}
	if spliced == "" {
		o.header.apiVersion = sc.own(raw, s, sc.apiVersion, shift)
		o.header.kind = sc.own(raw, s, sc.kind, shift)
	}
	return o, nil
}

// parseRepaired handles text that is not UTF-8: each bad byte becomes U+FFFD, as in encoding/json.
func (p *Parser) parseRepaired(raw string) (*Object, error) {
	return p.Parse([]byte(string([]rune(raw))))
}

// view looks at bytes as a string without copying them. It must not outlive a change of the bytes: ParseFirst and
// ParseWatchEvent use it while they run, build for bytes nobody else has. The scanner reads strings because an Object's
// text is one, so that one scanner serves both.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// decodeOwn is decodeString with memory of its own.
func decodeOwn(s string) string { return string([]byte(decodeString(s))) }
