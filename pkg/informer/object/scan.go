package object

// This file checks text nobody has looked at yet: one loop, with a stack of its own, so that deep
// nesting costs a slice and not the goroutine's stack. Errors are *SyntaxError; when the text ends
// too early they wrap ErrTruncated, so that a reader of a stream knows to read on.

// checker checks values, and notes what others need to know of them.
type checker struct {
	names   []name      // of the objects being read, innermost last
	stack   []container // those around the one being read, in the call of value that runs
	extents []extent    // where long containers and strings are, in the order of the text
	table   []uint32    // for objects with many names

	lax     bool // names are not looked at
	noting  bool // extents are noted
	twice   bool // an object has a name twice
	unASCII bool // a string has a byte that is not ASCII
	deepest int  // how deep the deepest container nests
	short   int  // values shorter than this have no extents
}

// container is an object or array whose end has not been read.
type container struct {
	seen   uint64 // which names it may have (checker.note)
	names  uint32 // where its names begin
	extent int32  // its place among the extents
	array  bool
}

// value checks the value at i and returns the place behind it. Each round of the loop reads a
// member or an item, and the ends of all containers that end behind it.
func (c *checker) value(s string, i, depth int) (int, error) {
	in, open := container{array: true}, 0
	var err error
	for {
		if !in.array {
			end, print, err := c.name(s, i)
			if err != nil {
				return end, err
			}
			if !c.lax {
				bit := uint64(1) << (print >> 58)
				if in.seen&bit != 0 {
					c.compare(s, int(in.names), print, i, end)
				}
				in.seen |= bit
				c.push(print, i, end)
			}
			if i = end; i >= len(s) || s[i] != ':' {
				if i = skipSpace(s, i); i >= len(s) || s[i] != ':' {
					return i, syntaxErr(s, i, "':'")
				}
			}
			if i++; i < len(s) && s[i] <= ' ' {
				i = skipSpace(s, i)
			}
		}
		if i >= len(s) {
			return i, syntaxErr(s, i, "")
		}
		switch b := s[i]; {
		case b == '"':
			end, err := c.string(s, i)
			if err != nil {
				return end, err
			}
			c.passedString(i, end)
			i = end
		case b == '{' || b == '[':
			if err := tooDeep(i, depth+open); err != nil {
				return i, err
			}
			next := i + 1
			if next < len(s) && s[next] <= ' ' {
				next = skipSpace(s, next)
			}
			if next < len(s) && s[next] == b+2 { // the closing bracket of its kind
				i = next + 1
				break
			}
			c.stack = append(c.stack, in)
			in = container{names: uint32(len(c.names)), extent: int32(c.opened(i)), array: b == '['}
			if open++; depth+open > c.deepest {
				c.deepest = depth + open
			}
			i = next
			continue
		default:
			if i, err = scanScalar(s, i); err != nil {
				return i, err
			}
		}
		for {
			if open == 0 {
				return i, nil
			}
			if i < len(s) && s[i] <= ' ' {
				i = skipSpace(s, i)
			}
			if i < len(s) && s[i] == ',' {
				if i++; i < len(s) && s[i] <= ' ' {
					i = skipSpace(s, i)
				}
				break
			}
			if in.array {
				if i >= len(s) || s[i] != ']' {
					return i, syntaxErr(s, i, "',' or ']'")
				}
			} else {
				if i >= len(s) || s[i] != '}' {
					return i, syntaxErr(s, i, "',' or '}'")
				}
				c.leave(s, int(in.names))
			}
			i++
			c.closed(int(in.extent), i)
			open--
			last := len(c.stack) - 1
			in, c.stack = c.stack[last], c.stack[:last]
		}
	}
}

// scanScalar reads the number, true, false or null at i.
func scanScalar(s string, i int) (int, error) {
	switch b := s[i]; {
	case b == '-' || b >= '0' && b <= '9':
		return scanNumber(s, i)
	case b == 't':
		return scanWord(s, i, "true")
	case b == 'f':
		return scanWord(s, i, "false")
	case b == 'n':
		return scanWord(s, i, "null")
	}
	return i, syntaxErr(s, i, "a JSON value")
}

func scanWord(s string, i int, word string) (int, error) {
	if len(s)-i >= len(word) && s[i:i+len(word)] == word {
		return i + len(word), nil
	}
	for j := range len(word) {
		if i+j >= len(s) || s[i+j] != word[j] {
			return i + j, syntaxErr(s, i+j, word)
		}
	}
	return i + len(word), nil
}

func scanNumber(s string, i int) (int, error) {
	if s[i] == '-' {
		i++
	}
	if i < len(s) && s[i] == '0' {
		i++
	} else {
		end := digits(s, i)
		if end == i {
			return i, syntaxErr(s, i, "a digit")
		}
		i = end
	}
	if i < len(s) && s[i] == '.' {
		end := digits(s, i+1)
		if end == i+1 {
			return end, syntaxErr(s, end, "a digit")
		}
		i = end
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		end := digits(s, i)
		if end == i {
			return end, syntaxErr(s, end, "a digit")
		}
		i = end
	}
	return i, nil
}

func digits(s string, i int) int {
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}
