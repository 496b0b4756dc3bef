package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"sigs.k8s.io/yaml"

	"github.com/informerd/informerd/internal/config/document"
)

// maxObject is the largest file of an object that is read, in bytes: an API server takes no larger
// one.
const maxObject = 4 << 20

// maxObjects is the largest file with several objects that is read, in bytes.
const maxObjects = 64 << 20

var yamlLine = regexp.MustCompile(`:? line \d+`) // in errors of the parser

// ErrEmptyList is the error of a list without objects.
var ErrEmptyList = errors.New("the list is empty")

// Object is an object of a file.
type Object struct {
	At   string // the file, and where in it the object is, if there are several
	JSON []byte
}

// ReadObject reads a file with one object, and returns it as JSON.
func ReadObject(path string) ([]byte, error) {
	_, data, err := readObjects(path, nil, maxObject)
	if err != nil {
		return nil, err
	}
	all, err := objectsIn(path, data)
	switch {
	case err != nil:
		return nil, err
	case len(all) > 1:
		return nil, fmt.Errorf("%s: there are %d objects in it: pass one", path, len(all))
	}
	return all[0], nil
}

// ReadObjects reads a file with an object, with a list of them, as kubectl get -o yaml prints it, or with
// several documents. The path - is stdin. It also reports whether it may have several. The error is
// ErrEmptyList if it is a list of none.
func ReadObjects(path string, stdin io.Reader) (all []Object, several bool, err error) {
	name, data, err := readObjects(path, stdin, maxObjects)
	if err != nil {
		return nil, false, err
	}
	found, err := objectsIn(name, data)
	if err != nil {
		return nil, false, err
	}
	several = len(found) > 1
	for i, text := range found {
		at := name
		if len(found) > 1 {
			at = fmt.Sprintf("%s: document %d", name, i+1)
		}
		items, isList, err := itemsOf(at, text)
		switch {
		case err != nil:
			return nil, true, err
		case isList:
			several = true
			all = append(all, items...)
		case len(text) > maxObject:
			return nil, several, fmt.Errorf("%s: the object has more than %d bytes", at, maxObject)
		default:
			all = append(all, Object{at, text})
		}
	}
	if len(all) == 0 {
		return nil, true, fmt.Errorf("%s: %w", name, ErrEmptyList)
	}
	return all, several, nil
}

// itemsOf returns the objects of a list.
func itemsOf(at string, text []byte) (all []Object, isList bool, err error) {
	if !bytes.Contains(text, []byte(`"items"`)) {
		return nil, false, nil
	}
	var list struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Items      []json.RawMessage `json:"items"`
	}
	if json.Unmarshal(text, &list) != nil || list.Items == nil ||
		!strings.HasSuffix(list.Kind, "List") {
		return nil, false, nil
	}
	for i, text := range list.Items {
		at := fmt.Sprintf("%s: items[%d]", at, i)
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var item map[string]any
		if decoder.Decode(&item) != nil || item == nil {
			return nil, true, fmt.Errorf("%s: this is not an object", at)
		}
		if item["kind"] == nil && list.Kind != "List" { // a list of an API server says it once
			item["kind"], item["apiVersion"] = strings.TrimSuffix(list.Kind, "List"),
				list.APIVersion
			if text, err = json.Marshal(item); err != nil {
				return nil, true, fmt.Errorf("%s: %w", at, err)
			}
		}
		all = append(all, Object{at, text})
	}
	return all, true, nil
}

// objectsIn returns the objects of a text as JSON. There is at least one.
func objectsIn(name string, data []byte) (all [][]byte, err error) {
	texts := documentsOf(data)
	isJSON := utf8.Valid(data) && !slices.ContainsFunc(texts, func(text []byte) bool { return !json.Valid(text) })
	if e := document.CheckCharacters(name, data); e != nil && !isJSON {
		return nil, e
	}
	for i, text := range texts {
		object, err := bytes.TrimSpace(text), error(nil)
		if !isJSON { // JSON may have more characters than YAML
			object, err = yaml.YAMLToJSONStrict(text)
		}
		at := name
		if len(texts) > 1 {
			at = fmt.Sprintf("%s: document %d", name, i+1)
		}
		switch {
		case err != nil && bytes.Contains(text, []byte("Secret")):
			return nil, fmt.Errorf("%s: the YAML cannot be read%s; of a Secret nothing is shown", at,
				yamlLine.FindString(err.Error()))
		case err != nil:
			return nil, fmt.Errorf("%s: %s", at, document.Printable(err))
		case len(texts) > 1 && string(object) == "null": // as after a last ---
			continue
		case len(object) == 0 || object[0] != '{':
			return nil, fmt.Errorf("%s: there is no object in it", at)
		}
		all = append(all, object)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: there is no object in it", name)
	}
	return all, nil
}

// documentsOf returns the documents of a text: of YAML, what is between lines of ---; of JSON, each
// value.
func documentsOf(data []byte) (all [][]byte) {
	if first := bytes.TrimSpace(data); len(first) > 0 && first[0] == '{' {
		decoder := json.NewDecoder(bytes.NewReader(first))
		for {
			var value json.RawMessage
			err := decoder.Decode(&value)
			if errors.Is(err, io.EOF) {
				return all
			}
			if err != nil { // it may be YAML
				break
			}
			all = append(all, value)
		}
	}
	var text []byte
	all = nil
	for line := range bytes.Lines(data) {
		if rest, ok := bytes.CutPrefix(line, []byte("---")); ok &&
			(len(rest) == 0 || strings.ContainsRune(" \t\r\n", rune(rest[0]))) {
			all, text = append(all, text), append([]byte(nil), rest...)
			continue
		}
		text = append(text, line...)
	}
	if all = append(all, text); len(all) > 1 && len(bytes.TrimSpace(all[0])) == 0 {
		all = all[1:] // nothing is before the first ---
	}
	return all
}

// readObjects reads a file, which may be a pipe that a shell has made of a command, or standard
// input as -.
func readObjects(path string, stdin io.Reader, limit int64) (name string, data []byte, err error) {
	if path == "-" && stdin != nil {
		path = stdinName
		data, err = io.ReadAll(io.LimitReader(stdin, limit+1))
	} else {
		data, err = read(path, limit)
	}
	switch {
	case err != nil:
		return path, nil, fmt.Errorf("%s: the object cannot be read: %s", path, document.Reason(err))
	case int64(len(data)) > limit:
		return path, nil, fmt.Errorf("%s: the object has more than %d bytes", path, limit)
	}
	return path, data, nil
}
