package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// reader reads a JSON document token by token, so that a document takes little more memory than
// what is kept of it. It tracks its position in the document.
type reader struct {
	dec   *json.Decoder
	title string   // of the document, for errors
	path  []string // keys of the current value
}

// object reads an object. The function must read the value of each key.
func (r *reader) object(value func(key string) error) error {
	if err := r.begin(); err != nil {
		return err
	}
	return r.members(value)
}

// begin reads the opening brace of an object.
func (r *reader) begin() error {
	token, err := r.token()
	if err == nil && token != json.Delim('{') {
		err = r.mustBe("an object", token)
	}
	return err
}

// members reads an object after its opening brace.
func (r *reader) members(value func(key string) error) error {
	for r.dec.More() {
		token, err := r.token()
		if err != nil {
			return err
		}
		key, ok := token.(string)
		if !ok {
			return r.mustBe("a key", token) // already rejected by the decoder
		}
		r.path = append(r.path, key)
		if err := value(key); err != nil {
			return err
		}
		r.path = r.path[:len(r.path)-1]
	}
	_, err := r.token() // the closing brace
	return err
}

// array reads an array. The function must read the value of each item.
func (r *reader) array(value func() error) error {
	token, err := r.token()
	if err != nil {
		return err
	}
	if token != json.Delim('[') {
		return r.mustBe("an array", token)
	}
	return r.items(value)
}

// items reads the items of an array after its opening bracket.
func (r *reader) items(value func() error) error {
	for i := 0; r.dec.More(); i++ {
		r.path = append(r.path, strconv.Itoa(i))
		if err := value(); err != nil {
			return err
		}
		r.path = r.path[:len(r.path)-1]
	}
	_, err := r.token() // the closing bracket
	return err
}

func (r *reader) string(into *string) error {
	token, err := r.token()
	if err != nil {
		return err
	}
	text, ok := token.(string)
	if !ok {
		return r.mustBe("a string", token)
	}
	*into = text
	return nil
}

func (r *reader) bool(into *bool) error {
	token, err := r.token()
	if err != nil {
		return err
	}
	value, ok := token.(bool)
	if !ok {
		return r.mustBe("true or false", token)
	}
	*into = value
	return nil
}

// skip reads a value of any kind.
func (r *reader) skip() error { return r.decode(&skipped{}) }

func (r *reader) decode(into json.Unmarshaler) error {
	if err := r.dec.Decode(into); err != nil {
		return r.decodeError(err)
	}
	return nil
}

type skipped struct{}

func (*skipped) UnmarshalJSON([]byte) error { return nil }

func (r *reader) token() (json.Token, error) {
	token, err := r.dec.Token()
	if err != nil {
		return nil, r.decodeError(err)
	}
	return token, nil
}

// end checks that nothing follows.
func (r *reader) end() error {
	_, err := r.dec.Token()
	switch {
	case err == nil:
		return r.failf("something follows the document")
	case !errors.Is(err, io.EOF):
		return r.decodeError(err)
	}
	return nil
}

func (r *reader) mustBe(what string, is json.Token) error {
	return r.failf("must be %s, is %s", what, kindOf(is))
}

func kindOf(token json.Token) string {
	switch t := token.(type) {
	case json.Delim:
		if t == '[' {
			return "an array"
		}
		return "an object"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case nil:
		return "null"
	default:
		return "a number"
	}
}

func (r *reader) decodeError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return r.failf("the document ends too early")
	}
	return r.failf("%w", err)
}

func (r *reader) failf(format string, args ...any) error {
	return fmt.Errorf("%s: %s: %w", r.title, place(r.path),
		fmt.Errorf(format, args...))
}

// place writes a path as a programming language would. A long one is shortened in its middle.
func place(path []string) string {
	const head, tail, longest = 4, 8, 100
	if len(path) == 0 {
		return "its top"
	}
	var b strings.Builder
	for i, key := range path {
		if len(path) > head+tail && i >= head && i < len(path)-tail {
			if i == head {
				b.WriteString("…")
			}
			continue
		}
		if len(key) > longest {
			key = key[:longest] + "…"
		}
		switch {
		case !plain(key):
			fmt.Fprintf(&b, "[%q]", key)
		case i > 0:
			b.WriteString("." + key)
		default:
			b.WriteString(key)
		}
	}
	return b.String()
}

// plain reports whether a key needs no quotes in a path.
func plain(key string) bool {
	for _, c := range []byte(key) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' &&
			c != '-' && c != '$' {
			return false
		}
	}
	return key != ""
}
