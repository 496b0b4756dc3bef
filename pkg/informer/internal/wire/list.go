package informer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer/object"
)

// listPage is what stands around the items of one page of a list.
type listPage struct {
	Kind     string
	Metadata struct {
		ResourceVersion string `json:"resourceVersion"`
		Continue        string `json:"continue"`
	}
}

// readList reads one page as it arrives, in whatever order its members come, and gives each item to
// add as soon as it is complete. An item that is JSON but no object informerd can hold goes to skip
// and does not fail the page.
func readList(r io.Reader, parser *object.Parser, add func(*object.Object),
	skip func(error)) (listPage, error) {
	var page listPage
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

func readItems(s *stream, parser *object.Parser, add func(*object.Object), skip func(error)) error {
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

// decodeValue is for the few small values around the items.
func decodeValue(s *stream, into any) error {
	return s.value(func(text []byte) (int, error) {
		end, err := object.ScanValue(text)
		if err != nil {
			return end, err
		}
		return end, json.Unmarshal(text[:end], into)
	})
}

var errListSilent = fmt.Errorf("nothing came of the list for %v", listSilence)

// heardReader puts the end of a request off with each read.
type heardReader struct {
	io.Reader
	silence *time.Timer
}

func (r heardReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 && r.silence.Stop() {
		r.silence.Reset(listSilence)
	}
	return n, err
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// bookmark is what a BOOKMARK frame says.
type bookmark struct {
	version string
	// endsList: everything that was there when the watch began has been sent.
	endsList bool
}

func readBookmark(text string) (bookmark, error) {
	var o struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
	}
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return bookmark{}, fmt.Errorf("cannot read the bookmark: %w", err)
	}
	return bookmark{
		version:  o.Metadata.ResourceVersion,
		endsList: o.Metadata.Annotations[metav1.InitialEventsAnnotationKey] == "true",
	}, nil
}

// statusError reads an ERROR frame's Status.
func statusError(text string) error {
	var s metav1.Status
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return fmt.Errorf("cannot read the error the API server sent: %w", err)
	}
	return &apierrors.StatusError{ErrStatus: s}
}
