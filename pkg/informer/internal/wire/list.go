package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/informerd/informerd/pkg/informer/object"
)

// Page is what a page of a list has besides its items.
type Page struct {
	Kind     string
	Metadata struct {
		ResourceVersion string `json:"resourceVersion"`
		Continue        string `json:"continue"`
		// ShardInfo has the ListOptions.ShardSelector by which the server has selected the items,
		// if it has.
		ShardInfo struct {
			Selector string `json:"selector"`
		} `json:"shardInfo"`
	}
}

// ReadList reads one page as it arrives, in whatever order its members come, and calls add for each
// item as soon as it is complete, with nil for one that is not among the parser's Own. For an item
// that is JSON but not an object informerd can hold it calls skip, and reads on.
func ReadList(r io.Reader, parser *object.Parser, add func(*object.Object),
	skip func(error)) (Page, error) {
	var page Page
	s := &stream{r: r}
	defer s.release()
	err := eachListMember(s, func(name string) error {
		switch name {
		case "items":
			return readItems(s, parser, add, skip)
		case "kind":
			return decodeValue(s, &page.Kind)
		case "metadata":
			return decodeValue(s, &page.Metadata)
		default:
			return s.value(object.ScanValue)
		}
	})
	if err == nil {
		err = s.close()
	}
	if err != nil {
		return page, fmt.Errorf("cannot read the list: %w", err)
	}
	if page.Kind == "Table" {
		return page, errors.New("the server sent a Table, which holds no objects")
	}
	return page, nil
}

// eachListMember calls member behind each member's name, to read its value.
func eachListMember(s *stream, member func(name string) error) error {
	if err := s.take('{'); err != nil {
		return err
	}
	for first := true; ; first = false {
		c, err := s.peek()
		if err != nil {
			return noEOF(err)
		}
		if c == '}' {
			return s.take('}')
		}
		if !first {
			if err := s.take(','); err != nil {
				return err
			}
		}
		var name string
		if err := decodeValue(s, &name); err != nil {
			return err
		}
		if err := s.take(':'); err != nil {
			return err
		}
		if err := member(name); err != nil {
			return noEOF(err)
		}
	}
}

func readItems(s *stream, parser *object.Parser, add func(*object.Object),
	skip func(error)) error {
	if c, err := s.peek(); err != nil || c == 'n' {
		if err == nil {
			err = s.value(object.ScanValue) // "items": null is an empty list
		}
		return err
	}
	if err := s.take('['); err != nil {
		return err
	}
	for first := true; ; first = false {
		c, err := s.peek()
		if err != nil {
			return err
		}
		if c == ']' {
			return s.take(']')
		}
		if !first {
			if err := s.take(','); err != nil {
				return err
			}
		}
		err = s.value(func(text []byte) (int, error) {
			o, end, err := parser.ParseItem(text)
			if err == nil {
				add(o)
				return end, nil
			}
			if errors.Is(err, object.ErrTruncated) {
				return end, err
			}
			end, bad := object.ScanValue(text)
			if bad != nil {
				return end, bad
			}
			skip(err)
			return end, nil
		})
		if err != nil {
			return err
		}
	}
}

// decodeValue decodes one of the few small values around the items.
func decodeValue(s *stream, into any) error {
	return s.value(func(text []byte) (int, error) {
		end, err := object.ScanValue(text)
		if err != nil {
			return end, err
		}
		return end, json.Unmarshal(text[:end], into)
	})
}

// noEOF returns err, but an end of the stream as one that was not expected.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
