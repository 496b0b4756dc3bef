package jsonscan

import (
	"errors"
	"strings"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/ast"
)

// sonicWalkHeader visits every member once, through nodes that sonic loads lazily.
func sonicWalkHeader(raw []byte) (Header, error) {
	text := alias(raw)
	var l layout
	parser := ast.NewParserObj(text)
	object, parseErr := parser.Parse()
	if parseErr != 0 {
		return Header{}, parseErr
	}
	err := sonicMembers(text, &object, func(key string, value *ast.Node) error {
		if key == "metadata" {
			return sonicMembers(text, value, func(key string, value *ast.Node) error {
				return noteNode(text, l.meta(key), value)
			})
		}
		return noteNode(text, l.top(key), value)
	})
	if err != nil {
		return Header{}, err
	}
	return l.build(raw)
}

// sonicMembers checks for the closing brace itself, because sonic's iterator accepts an object
// without one.
func sonicMembers(text string, object *ast.Node,
	visit func(key string, value *ast.Node) error) error {
	members, err := object.Properties()
	if err != nil {
		return err
	}
	end := 0
	var member ast.Pair
	for members.Next(&member) {
		part, err := member.Value.Raw()
		if err != nil {
			return err
		}
		end = within(text, part).to
		if err := visit(member.Key, &member.Value); err != nil {
			return err
		}
	}
	if end > 0 && !strings.HasPrefix(strings.TrimLeft(text[end:], " \t\r\n"), "}") {
		return errors.New("object does not end")
	}
	return nil
}

func noteNode(text string, where *span, value *ast.Node) error {
	if where == nil {
		return nil
	}
	part, err := value.Raw()
	if err != nil {
		return err
	}
	*where = within(text, part)
	return nil
}

var sonicHeaderPaths = [10][]any{
	{"apiVersion"}, {"kind"}, {"namespace"}, {"name"}, {"uid"}, {"resourceVersion"},
	{"generation"}, {"deletionTimestamp"}, {"labels"}, {"managedFields"},
}

// sonicGetHeader finds metadata once and searches its members there.
func sonicGetHeader(raw []byte) (Header, error) {
	text := alias(raw)
	meta, err := sonicFind(text, "metadata")
	if err != nil {
		return Header{}, err
	}
	var l layout
	for i, where := range l.places() {
		in := meta
		if i < 2 {
			in = text
		}
		value, err := sonicFind(in, sonicHeaderPaths[i]...)
		if err != nil {
			return Header{}, err
		}
		if value != "" {
			*where = within(text, value)
		}
	}
	return l.build(raw)
}

// sonicFind returns the raw value at the path, empty if there is none.
func sonicFind(text string, path ...any) (string, error) {
	searcher := ast.NewSearcher(text)
	searcher.ValidateJSON = false
	node, err := searcher.GetByPath(path...)
	if errors.Is(err, ast.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return node.Raw()
}

var (
	sonicPhasePath = []any{"status", "phase"}
	sonicImagePath = []any{"spec", "containers", 0, "image"}
)

func sonicGetFields(raw []byte) (Fields, error) {
	return sonicFields(func(path []any) (ast.Node, error) {
		searcher := ast.NewSearcher(alias(raw))
		searcher.ValidateJSON = false
		return searcher.GetByPath(path...)
	})
}

// sonicGetValidFields is sonic's default, with the option ValidateJSON on. Even so, what the search
// skips is not validated; see TestFacts.
func sonicGetValidFields(raw []byte) (Fields, error) {
	return sonicFields(func(path []any) (ast.Node, error) {
		return sonic.GetFromString(alias(raw), path...)
	})
}

func sonicFields(get func(path []any) (ast.Node, error)) (Fields, error) {
	phase, err := sonicText(get(sonicPhasePath))
	if err != nil {
		return Fields{}, err
	}
	image, err := sonicText(get(sonicImagePath))
	return Fields{Phase: phase, Image: image}, err
}

// sonicText returns the string a search found, empty if there is none.
func sonicText(node ast.Node, err error) (string, error) {
	if errors.Is(err, ast.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return node.StrictString()
}
