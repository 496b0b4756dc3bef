package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// Load reads and checks the configuration file at path. Mistakes in it are an Errors, as is a file that cannot be read.
func Load(path string) (*Config, error) {
	data, err := read(path)
	if err != nil {
		return nil, Errors{{File: path, Message: "the configuration cannot be read: " + reason(err)}}
	}
	return Parse(path, data)
}

// read reads no more than it takes to see that a file is too large.
func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxSize+1))
}

// reason is an error of the file system without the path, which the place says already.
func reason(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return err.Error()
}

// Parse checks the text of a configuration and fills in defaults. File is its path: errors name it, relative paths in
// the configuration count from its folder, and .json makes the text JSON. It need not exist.
func Parse(file string, data []byte) (*Config, error) {
	root, textErr := parseTree(file, data)
	if textErr != nil {
		return nil, Errors{*textErr}
	}
	c := &Config{}
	d := &decoder{report: newReport(file), lines: strings.Split(string(data), "\n")}
	d.keys[""] = placeOf(root)
	d.value(root, reflect.ValueOf(c).Elem(), "", 0)
	if d.stopped {
		return nil, d.errs.asError() // much was not looked at: what seems to be missing may be there
	}
	if !isConfig(c, d.report) {
		// Something else, such as a Deployment: its fields are all unknown, and that is not what is wrong with it.
		return nil, d.onlyHeader().asError()
	}
	check(c, d.report)
	if err := d.errs.asError(); err != nil {
		return nil, err
	}
	c.source = d.source
	return c, nil
}

// isConfig reports an apiVersion or kind that is not that of a configuration.
func isConfig(c *Config, r *report) bool {
	right := true
	for _, header := range []struct{ field, is, want string }{
		{"apiVersion", c.APIVersion, APIVersion}, {"kind", c.Kind, Kind},
	} {
		switch {
		case r.good(header.field) && header.is != header.want:
			r.value(header.field, fmt.Sprintf("write %s: %s", header.field, header.want),
				"%s must be %s, is %s", header.field, header.want, quote(header.is))
			right = false
		case r.missing("", header.field):
			r.key("", fmt.Sprintf("begin with %s: %s", header.field, header.want), "%s is missing", header.field)
		}
	}
	return right
}

// onlyHeader leaves the mistakes in apiVersion and kind.
func (r *report) onlyHeader() Errors {
	return slices.DeleteFunc(slices.Clone(r.errs), func(e Error) bool {
		return e.Field != "apiVersion" && e.Field != "kind"
	})
}

// File is the path the configuration was read from.
func (c *Config) File() string { return c.source.file }

// ListenersInOrder gives the listeners in the order in which they stand in the file.
func (c *Config) ListenersInOrder() []*Listener {
	return slices.SortedFunc(maps.Values(c.Listeners), func(a, b *Listener) int {
		pa, pb := c.source.keys[join("listeners", a.Name)], c.source.keys[join("listeners", b.Name)]
		return cmp.Or(cmp.Compare(pa.line, pb.line), cmp.Compare(pa.column, pb.column), cmp.Compare(a.Name, b.Name))
	})
}

// Path gives a path of the configuration as others can open it: a relative one counts from the folder of the file. A
// path that begins with ~/ stays as it is.
func (c *Config) Path(path string) string {
	if path == "" || filepath.IsAbs(path) || path == "~" || strings.HasPrefix(path, "~/") {
		return path
	}
	return filepath.Join(filepath.Dir(c.source.file), path)
}

// ErrorAt makes an Error about a field, as in listeners.crash-loops.handler.wasm, with the place where its value stands,
// or if it does not stand in the file, the mapping it belongs to.
func (c *Config) ErrorAt(field, message, hint string) Error {
	e := Error{File: c.source.file, Field: field, Message: message, Hint: hint}
	for at := field; ; {
		if p, ok := c.source.values[at]; ok {
			e.Line, e.Column = p.line, p.column
			break
		}
		cut := strings.LastIndexAny(at, ".[")
		if cut < 0 {
			break
		}
		at = at[:cut]
	}
	return e
}

// Digest is the same for configurations that mean the same: comments, order and defaults written out do not matter.
func (c *Config) Digest() string {
	text, err := json.Marshal(c)
	if err != nil {
		panic(fmt.Sprintf("config: a checked configuration is not JSON: %v", err)) // its only free part is valid JSON
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
