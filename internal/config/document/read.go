package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/informerd/informerd/internal/wording"
)

// MaxSize is the largest configuration and the largest policy file that is read, in bytes.
const MaxSize = 1 << 20

// parse reads the one document of a text. The error is about the text as a whole.
func parse(kind *Kind, file string, data []byte) (*yaml.Node, *Error) {
	if len(data) > MaxSize {
		return nil, &Error{File: file, Message: fmt.Sprintf("the %s is larger than %d bytes",
			kind.Noun, MaxSize)}
	}
	if err := CheckCharacters(file, data); err != nil {
		return nil, err
	}
	// The YAML parser reads JSON as well, but its errors are less exact.
	if filepath.Ext(file) == ".json" {
		if err := checkJSON(file, data); err != nil {
			return nil, err
		}
	}
	if json.Valid(data) {
		data = asYAML(data)
	}
	var root *yaml.Node
	for decoder := yaml.NewDecoder(bytes.NewReader(data)); ; {
		document, err := nextDocument(decoder)
		switch {
		case errors.Is(err, io.EOF) && root == nil:
			return nil, &Error{File: file, Message: "the " + kind.Noun + " is empty"}
		case errors.Is(err, io.EOF):
			return root, nil
		case err != nil:
			return nil, syntaxError(kind, file, data, err)
		// nothing follows a last ---
		case len(document.Content) != 1 || isNull(document.Content[0]):
		case root != nil:
			return nil, &Error{File: file, Line: document.Line, Column: document.Column,
				Message: "a second document begins here, and a " + kind.Noun + " is one document"}
		default:
			root = document.Content[0]
		}
	}
}

// nextDocument reads one document. The parser panics in a state that it does not expect, and no
// text may end the process.
func nextDocument(decoder *yaml.Decoder) (document *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: the parser failed: %v", r)
		}
	}()
	document = &yaml.Node{}
	return document, decoder.Decode(document)
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// CheckCharacters finds bytes that are not UTF-8 and characters that YAML does not allow.
func CheckCharacters(file string, data []byte) *Error {
	for offset := 0; offset < len(data); {
		r, size := utf8.DecodeRune(data[offset:])
		message := ""
		switch {
		case r == utf8.RuneError && size == 1:
			message = fmt.Sprintf("byte 0x%02x is not UTF-8", data[offset])
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r >= 0x7f && r < 0xa0 && r != 0x85,
			r == 0xfffe, r == 0xffff, r == 0xfeff && offset > 0:
			message = fmt.Sprintf("the character %U is not allowed", r)
		}
		if message != "" {
			line, column := LineColumn(data, offset)
			return &Error{File: file, Line: line, Column: column, Message: message}
		}
		offset += size
	}
	return nil
}

// LineColumn returns the place of an offset; columns count characters.
func LineColumn(data []byte, offset int) (line, column int) {
	before := data[:min(max(offset, 0), len(data))]
	lineStart := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[lineStart:]) + 1
}

func checkJSON(file string, data []byte) *Error {
	err := json.Unmarshal(data, new(json.RawMessage))
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) || len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	// The offset is that of the byte after the wrong one.
	line, column := LineColumn(data, int(syntax.Offset)-1)
	return &Error{File: file, Line: line, Column: column, Message: "not JSON: " + syntax.Error()}
}

var jsonEscape = regexp.MustCompile(
	`\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|.)`)

// asYAML changes valid JSON where the YAML parser would refuse it: tabs, none of which is in a
// string, and two kinds of escapes. Lines stay the same.
func asYAML(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("\t"), []byte(" "))
	return jsonEscape.ReplaceAllFunc(text, func(escape []byte) []byte {
		switch {
		case string(escape) == `\/`:
			return []byte("/")
		case len(escape) > 2: // two escapes that make one character
			var s string
			if json.Unmarshal([]byte(`"`+string(escape)+`"`), &s) == nil {
				return []byte(s)
			}
		}
		return escape
	})
}

var yamlPrefix = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)

// syntaxError returns the error of the YAML parser with its place, and the line below it.
func syntaxError(kind *Kind, file string, data []byte, err error) *Error {
	named := yamlPrefix.FindStringSubmatch(err.Error())
	cause := strings.TrimPrefix(err.Error(), named[0])
	e := &Error{File: file, Message: "not YAML: " + cause}
	if e.Line, _ = strconv.Atoi(named[1]); len(data) <= maxSearched {
		e.Line = failingLine(data, cause)
	}
	lines := strings.Split(string(data), "\n")
	if e.Line < 1 || e.Line > len(lines) {
		return e
	}
	line := strings.TrimRight(lines[e.Line-1], "\r")
	e.Column = leadingSpaces(line) + 1
	e.Snippet = snippet(kind, line, e.Column)
	return e
}

// maxSnippet is how many characters of a line an error shows.
const maxSnippet = 100

// snippet returns a line, indented, with a caret below one of its columns, "" if a secret may be in it.
func snippet(kind *Kind, line string, column int) string {
	if kind.SecretLine != nil && kind.SecretLine(line) {
		return ""
	}
	return "  " + wording.Shorten(line, maxSnippet) + "\n  " + strings.Repeat(" ", column-1) + "^"
}

// maxSearched is the largest text in which failingLine looks, as it parses it several times.
const maxSearched = 128 << 10

// failingLine finds the line that makes the text fail. The parser says only where the block around
// it begins, so this looks for the fewest lines from the beginning that fail for the same cause.
func failingLine(data []byte, cause string) int {
	var ends []int // of each line
	for i, c := range data {
		if c == '\n' || i == len(data)-1 {
			ends = append(ends, i+1)
		}
	}
	return 1 + sort.Search(len(ends)-1, func(i int) bool {
		err := parseAll(data[:ends[i]])
		return err != nil && strings.HasSuffix(err.Error(), cause)
	})
}

// parseAll returns the first syntax error of the text.
func parseAll(data []byte) error {
	for decoder := yaml.NewDecoder(bytes.NewReader(data)); ; {
		_, err := nextDocument(decoder)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func leadingSpaces(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }
