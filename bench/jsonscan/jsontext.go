package jsonscan

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

func jsontextHeader(raw []byte) (Header, error) { return strictReaders.header(raw) }

func jsontextFields(raw []byte) (Fields, error) { return strictReaders.fields(raw) }

// The lax contenders skip the checks for duplicate names and invalid UTF-8, the only ones that the
// package can turn off.
func jsontextLaxHeader(raw []byte) (Header, error) { return laxReaders.header(raw) }

func jsontextLaxFields(raw []byte) (Fields, error) { return laxReaders.fields(raw) }

var (
	strictReaders = newTextReaders()
	laxReaders    = newTextReaders(jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
)

// textReaders keeps decoders for reuse; creating one for each object would be most of the cost.
type textReaders struct{ pool sync.Pool }

func newTextReaders(opts ...jsontext.Options) *textReaders {
	return &textReaders{sync.Pool{New: func() any {
		return &textReader{opts: opts, dec: jsontext.NewDecoder(new(bytes.Buffer))}
	}}}
}

func (t *textReaders) header(raw []byte) (Header, error) {
	r := t.pool.Get().(*textReader)
	defer t.pool.Put(r)
	r.reset(raw)
	var l layout
	err := r.object(func(key string) error {
		if key != "metadata" {
			return r.note(l.top(key))
		}
		return r.object(func(key string) error { return r.note(l.meta(key)) })
	})
	if err == nil {
		err = r.end()
	}
	if err != nil {
		return Header{}, err
	}
	return l.build(raw)
}

func (t *textReaders) fields(raw []byte) (Fields, error) {
	r := t.pool.Get().(*textReader)
	defer t.pool.Put(r)
	r.reset(raw)
	var f Fields
	err := r.object(func(key string) error {
		switch key {
		case "spec":
			return r.member("containers", func() error {
				return r.firstElement(func() error {
					return r.member("image", func() error { return r.text(&f.Image) })
				})
			})
		case "status":
			return r.member("phase", func() error { return r.text(&f.Phase) })
		}
		return r.dec.SkipValue()
	})
	return f, err
}

type textReader struct {
	opts []jsontext.Options
	dec  *jsontext.Decoder
}

// reset makes the decoder read from raw itself: it does not copy what is in a bytes.Buffer.
func (r *textReader) reset(raw []byte) { r.dec.Reset(bytes.NewBuffer(raw), r.opts...) }

// object calls visit for each member of the next object; visit must consume the value.
func (r *textReader) object(visit func(key string) error) error {
	if r.dec.PeekKind() != '{' {
		return errors.Join(errNotObject, r.dec.SkipValue())
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	for r.dec.PeekKind() == '"' {
		key, err := r.key()
		if err != nil {
			return err
		}
		if err := visit(key); err != nil {
			return err
		}
	}
	_, err := r.dec.ReadToken()
	return err
}

// key reads a name as a raw value, which unlike a token's string needs no copy.
func (r *textReader) key() (string, error) {
	quoted, err := r.dec.ReadValue()
	if err != nil {
		return "", err
	}
	if bytes.IndexByte(quoted, '\\') < 0 {
		return alias(quoted[1 : len(quoted)-1]), nil
	}
	plain, err := jsontext.AppendUnquote(nil, quoted)
	return string(plain), err
}

// note reads a value and records its position, or skips it.
func (r *textReader) note(where *span) error {
	if where == nil {
		return r.dec.SkipValue()
	}
	value, err := r.dec.ReadValue()
	to := int(r.dec.InputOffset())
	*where = span{to - len(value), to}
	return err
}

func (r *textReader) member(name string, read func() error) error {
	return r.object(func(key string) error {
		if key == name {
			return read()
		}
		return r.dec.SkipValue()
	})
}

func (r *textReader) firstElement(read func() error) error {
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	for first := true; r.dec.PeekKind() != ']'; first = false {
		next := r.dec.SkipValue
		if first {
			next = read
		}
		if err := next(); err != nil {
			return err
		}
	}
	_, err := r.dec.ReadToken()
	return err
}

func (r *textReader) text(into *string) error {
	token, err := r.dec.ReadToken()
	if err == nil {
		*into = token.String()
	}
	return err
}

func (r *textReader) end() error {
	if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.Join(errors.New("data after the object"), err)
	}
	return nil
}
