package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/informerd/informerd/internal/config/document"
)

// maxObject is the largest file of an object that is read, in bytes: an API server takes no larger
// one.
const maxObject = 4 << 20

// maxObjects is the largest file with a list of objects that is read, in bytes.
const maxObjects = 64 << 20

// ReadObject reads a file with one Kubernetes object, as YAML or JSON, and returns it as JSON.
func ReadObject(path string) ([]byte, error) {
	object, _, err := readObject(path, nil, maxObject)
	return object, err
}

// ReadObjects reads a file with one Kubernetes object or with a list of them, as kubectl get -o
// yaml prints it, and returns each as JSON. The path - is stdin. It also reports whether it was a
// list.
func ReadObjects(path string, stdin io.Reader) (objects [][]byte, list bool, err error) {
	object, name, err := readObject(path, stdin, maxObjects)
	if err != nil {
		return nil, false, err
	}
	var all struct {
		APIVersion string           `json:"apiVersion"`
		Kind       string           `json:"kind"`
		Items      []map[string]any `json:"items"`
	}
	items := bytes.Contains(object, []byte(`"items"`))
	if items {
		decoder := json.NewDecoder(bytes.NewReader(object))
		decoder.UseNumber()
		items = decoder.Decode(&all) == nil && all.Items != nil &&
			strings.HasSuffix(all.Kind, "List")
	}
	if !items {
		if len(object) > maxObject {
			return nil, false, fmt.Errorf("%s: the object has more than %d bytes", name, maxObject)
		}
		return [][]byte{object}, false, nil
	}
	for _, item := range all.Items {
		if item["kind"] == nil && all.Kind != "List" { // a list of an API server says it once
			item["kind"], item["apiVersion"] = strings.TrimSuffix(all.Kind, "List"), all.APIVersion
		}
		text, err := json.Marshal(item)
		if err != nil {
			return nil, true, fmt.Errorf("%s: %w", name, err)
		}
		objects = append(objects, text)
	}
	if len(objects) == 0 {
		return nil, true, fmt.Errorf("%s: the list is empty", name)
	}
	return objects, true, nil
}

// readObject reads a file with one mapping and returns it as JSON, with what errors call the file.
func readObject(path string, stdin io.Reader, limit int64) (object []byte, name string, err error) {
	var data []byte
	if path == "-" && stdin != nil {
		path = stdinName
		data, err = io.ReadAll(io.LimitReader(stdin, limit+1))
	} else {
		data, err = readRegular(path, limit)
	}
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s: the object has more than %d bytes", path, limit)
	}
	if err != nil {
		return nil, path, err
	}
	if e := document.CheckCharacters(path, data); e != nil {
		return nil, path, e
	}
	object, err = yaml.YAMLToJSONStrict(data)
	if err != nil {
		return nil, path, fmt.Errorf("%s: %s", path, document.Printable(err))
	}
	if len(object) == 0 || object[0] != '{' {
		return nil, path, fmt.Errorf("%s: there is no object in it", path)
	}
	return object, path, nil
}

// readRegular reads a file, or a pipe that a shell has made of a command, as in <(kubectl get …),
// and at most a byte more than limit.
func readRegular(path string, limit int64) (data []byte, err error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() && info.Mode()&os.ModeNamedPipe == 0 {
		return nil, fmt.Errorf("%s: the object cannot be read: it is not a file", path)
	}
	if f, errOpen := os.Open(path); errOpen == nil {
		defer f.Close()
		data, err = io.ReadAll(io.LimitReader(f, limit+1))
	} else {
		err = errOpen
	}
	if err != nil {
		return nil, fmt.Errorf("%s: the object cannot be read: %s", path, document.Reason(err))
	}
	return data, nil
}
