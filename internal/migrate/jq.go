package migrate

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// jqFilter is a filter of jq that picks fields and builds objects and lists of them.
type jqFilter struct {
	paths  []string // as changed takes them; "" is the whole object
	result string   // the expression of what it returns
}

// jqParser reads the simple filters. It fails at anything else.
type jqParser struct {
	rest  string
	paths []string
	depth int // of brackets
}

// maxBrackets is how deep objects and lists of a filter may be nested.
const maxBrackets = 50

// parseJQ translates a filter, or reports that it is not a simple one.
func parseJQ(text string) (f jqFilter, is bool) {
	p := jqParser{rest: text}
	result, err := p.pipe(nil)
	if err != nil || p.skip() != "" {
		return f, false
	}
	return jqFilter{p.paths, result}, true
}

var errJQ = fmt.Errorf("not a simple filter")

var (
	jqName   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*`)
	jqString = regexp.MustCompile(`^"(?:[^"\\\x00-\x1f]|\\["\\/])*"`)
	jqNumber = regexp.MustCompile(`^-?[0-9]+`)
)

// skip removes space, and returns the rest.
func (p *jqParser) skip() string {
	p.rest = strings.TrimLeft(p.rest, " \t\n\r")
	return p.rest
}

func (p *jqParser) take(text string) bool {
	if !strings.HasPrefix(p.skip(), text) {
		return false
	}
	p.rest = p.rest[len(text):]
	return true
}

func (p *jqParser) match(re *regexp.Regexp) string {
	text := re.FindString(p.rest)
	p.rest = p.rest[len(text):]
	return text
}

// pipe reads terms with | between them, all but the last of which are paths.
func (p *jqParser) pipe(from []any) (string, error) {
	for {
		path, is, err := p.path(from)
		if err != nil {
			return "", err
		}
		if !is {
			return p.construct(from)
		}
		if !strings.HasPrefix(p.skip(), "|") || strings.HasPrefix(p.rest, "||") {
			return p.use(path), nil
		}
		p.rest = p.rest[1:]
		from = path
	}
}

// use notes that the filter depends on a path, and returns its expression.
func (p *jqParser) use(path []any) string {
	text, expression := "", "object"
	for _, step := range path {
		switch step := step.(type) {
		case int:
			text += "[" + strconv.Itoa(step) + "]"
			expression += "[" + strconv.Itoa(step) + "]"
		case string:
			if jqName.FindString(step) == step {
				text += "." + step
				expression += "." + step
			} else {
				text += "[" + quoted(step) + "]"
				expression += "[" + quoted(step) + "]"
			}
		}
	}
	p.paths = append(p.paths, strings.TrimPrefix(text, "."))
	return expression
}

// path reads a path such as .metadata.labels["app"].
func (p *jqParser) path(from []any) (path []any, is bool, err error) {
	if !strings.HasPrefix(p.skip(), ".") || strings.HasPrefix(p.rest, "..") {
		return nil, false, nil
	}
	path = append(path, from...)
	for first := true; ; first = false {
		dot := strings.HasPrefix(p.rest, ".")
		if dot {
			p.rest = p.rest[1:]
		}
		switch {
		case dot && jqName.MatchString(p.rest):
			path = append(path, p.match(jqName))
		case dot && jqString.MatchString(p.rest):
			path = append(path, unquoted(p.match(jqString)))
		case strings.HasPrefix(p.rest, "["):
			p.rest = p.rest[1:]
			p.skip()
			if text := p.match(jqString); text != "" {
				path = append(path, unquoted(text))
			} else if n, err := strconv.Atoi(p.match(jqNumber)); err == nil && n >= 0 {
				path = append(path, n)
			} else {
				return nil, false, errJQ
			}
			if !p.take("]") {
				return nil, false, errJQ
			}
		case dot && first: // the value itself
			return path, true, nil
		case dot:
			return nil, false, errJQ
		default:
			return path, true, nil
		}
		p.rest = strings.TrimPrefix(p.rest, "?")
	}
}

func unquoted(text string) string {
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\/`, `/`).Replace(text[1 : len(text)-1])
}

// construct reads an object, a list, a constant, or a pipe in brackets.
func (p *jqParser) construct(from []any) (string, error) {
	p.depth++
	defer func() { p.depth-- }()
	switch {
	case p.depth > maxBrackets:
		return "", errJQ
	case p.take("("):
		text, err := p.pipe(from)
		if err == nil && !p.take(")") {
			err = errJQ
		}
		return text, err
	case p.take("["):
		items, err := p.several("]", func() (string, error) { return p.pipe(from) })
		return "[" + strings.Join(items, ", ") + "]", err
	case p.take("{"):
		members, err := p.several("}", func() (string, error) { return p.member(from) })
		return "{" + strings.Join(members, ", ") + "}", err
	}
	if text := p.match(jqString); text != "" {
		return quoted(unquoted(text)), nil
	}
	if text := p.match(jqNumber); text != "" {
		return text, nil
	}
	return "", errJQ
}

func (p *jqParser) several(end string, one func() (string, error)) (all []string, err error) {
	if p.take(end) {
		return nil, nil
	}
	for {
		text, err := one()
		if err != nil {
			return nil, err
		}
		all = append(all, text)
		if p.take(end) {
			return all, nil
		}
		if !p.take(",") {
			return nil, errJQ
		}
	}
}

// member reads a member of an object: name: .path, or name alone for .name.
func (p *jqParser) member(from []any) (string, error) {
	p.skip()
	name := p.match(jqName)
	if name == "" {
		text := p.match(jqString)
		if text == "" {
			return "", errJQ
		}
		name = unquoted(text)
	}
	if !p.take(":") {
		return quoted(name) + ": " + p.use(append(append([]any{}, from...), name)), nil
	}
	value, is, err := p.path(from)
	if err != nil {
		return "", err
	}
	if is {
		return quoted(name) + ": " + p.use(value), nil
	}
	text, err := p.construct(from)
	return quoted(name) + ": " + text, err
}
