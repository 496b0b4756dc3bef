package object

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

// errEnough ends a walk that has found what it looked for.
var errEnough = errors.New("enough")

// The strings in metadata by which an object is known to be an Own one, and its version.
const (
	headNamespace = iota
	headName
	headUID
	headVersion
)

var headFields = []string{"namespace", "name", "uid", "resourceVersion"}

// foreign reports whether the object at i is not an Own one, and its resourceVersion if so. It reads
// no further than it needs, and of fields that occur twice it takes the first one: so all parsers
// that share the objects of a server among them agree. What it cannot read is not foreign.
func (p *Parser) foreign(s string, i int) (version string, foreign bool) {
	if p.Own == nil {
		return "", false
	}
	var head [4]string
	c, enough := scan.Scanner{IgnoreNames: true}, headNamespace
	if p.OwnByUID {
		enough = headUID
	}
	_, err := scanMembers(&c, s, i, func(name string, at int) (int, error) {
		if jsontext.Unescape(name) != "metadata" {
			return c.Value(s, at, 1)
		}
		end, err := scanMembers(&c, s, at, func(name string, at int) (int, error) {
			end, err := c.Value(s, at, 2)
			k := slices.Index(headFields, jsontext.Unescape(name))
			if k >= 0 && err == nil && s[at] == '"' && head[k] == "" {
				head[k] = jsontext.Unescape(s[at+1 : end-1])
			}
			if err == nil && head[enough] != "" && head[headVersion] != "" {
				err = errEnough
			}
			return end, err
		})
		return end, cmp.Or(err, errEnough)
	})
	if err != errEnough || p.Own(head[headNamespace], head[headName], head[headUID]) {
		return "", false
	}
	return strings.Clone(head[headVersion]), true
}

// scanMembers calls member with each name in the object at i, as it is spelt, and the place of its
// value, until that returns an error. It returns the object's end, or the place of the error.
func scanMembers(c *scan.Scanner, s string, i int,
	member func(name string, value int) (end int, err error)) (int, error) {
	if i >= len(s) || s[i] != '{' {
		return i, scan.Unexpected(s, i, "an object")
	}
	i = jsontext.SkipSpace(s, i+1)
	for first := true; i >= len(s) || s[i] != '}'; first = false {
		if !first {
			if i >= len(s) || s[i] != ',' {
				return i, scan.Unexpected(s, i, "',' or '}'")
			}
			i = jsontext.SkipSpace(s, i+1)
		}
		nameEnd, value, _, err := c.MemberName(s, i)
		if err != nil {
			return nameEnd, err
		}
		if i, err = member(s[i+1:nameEnd-1], value); err != nil {
			return i, err
		}
		i = jsontext.SkipSpace(s, i)
	}
	return i + 1, nil
}
