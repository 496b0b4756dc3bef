package config

import (
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

// maxObject is the largest file of an object that is read, in bytes: an API server takes no larger one.
const maxObject = 4 << 20

// ReadObject reads a file with one Kubernetes object, as YAML or JSON, and gives it as JSON.
func ReadObject(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: the object cannot be read: %s", path, reason(err))
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: the object cannot be read: it is no file", path)
	case info.Size() > maxObject:
		return nil, fmt.Errorf("%s: the object has more than %d bytes", path, maxObject)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: the object cannot be read: %s", path, reason(err))
	}
	if e := checkCharacters(path, data); e != nil {
		return nil, e
	}
	object, err := yaml.YAMLToJSONStrict(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", path, printable(err))
	}
	if len(object) == 0 || object[0] != '{' {
		return nil, fmt.Errorf("%s: there is no object in it", path)
	}
	return object, nil
}
