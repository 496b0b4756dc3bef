package scan

import (
	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
)

// Scanner checks values and records what its users need to know about them. The zero value is
// ready.
type Scanner struct {
	Names   []name          // of the open objects, innermost last
	Extents []Extent        // of long containers and strings, in the order of the text
	stack   []openContainer // around the innermost one of the running call of Value
	table   []uint32        // a hash table of names, by index plus one

	IgnoreNames bool // do not look for duplicates
	KeepExtents bool
	MinLength   int // of a value for its extent to be kept

	Duplicates bool // an object has duplicate names
	NonASCII   bool // a string has a byte that is not ASCII
	Depth      int  // of the deepest container
}

// openContainer is an object or array whose end has not been read yet.
type openContainer struct {
	seen   uint64 // the set of its names: a bit for each six bits of fingerprint
	names  uint32 // the index of its first name
	extent int32  // its index in Extents
	array  bool
}

// maxReused is how many names a scanner may have room for and keep its memory.
const maxReused = 1 << 14

// Reuse returns a scanner for the next text. It has the memory of this one, unless that is large.
func (sc *Scanner) Reuse() Scanner {
	if cap(sc.Names) > maxReused {
		return Scanner{}
	}
	return Scanner{
		Names: sc.Names[:0], Extents: sc.Extents[:0], stack: sc.stack[:0], table: sc.table,
	}
}

// Value checks the value at i and returns its end, or the place of an error. depth is how many
// containers are around it. Each round of the loop reads one member or item, and the ends of all
// containers that end after it.
func (sc *Scanner) Value(s string, i, depth int) (int, error) {
	in, open := openContainer{array: true}, 0
	var err error
	for {
		if !in.array {
			end, print, err := sc.name(s, i)
			if err != nil {
				return end, err
			}
			if !sc.IgnoreNames {
				bit := uint64(1) << (print >> 58)
				if in.seen&bit != 0 {
					sc.findDuplicate(s, int(in.names), print, i, end)
				}
				in.seen |= bit
				sc.PushName(print, i, end)
			}
			if i = end; i >= len(s) || s[i] != ':' {
				if i = jsontext.SkipSpace(s, i); i >= len(s) || s[i] != ':' {
					return i, Unexpected(s, i, "':'")
				}
			}
			if i++; i < len(s) && s[i] <= ' ' {
				i = jsontext.SkipSpace(s, i)
			}
		}
		if i >= len(s) {
			return i, Unexpected(s, i, "")
		}
		switch b := s[i]; {
		case b == '"':
			end, err := sc.String(s, i)
			if err != nil {
				return end, err
			}
			sc.AddString(i, end)
			i = end
		case b == '{' || b == '[':
			if err := CheckDepth(i, depth+open); err != nil {
				return i, err
			}
			next := i + 1
			if next < len(s) && s[next] <= ' ' {
				next = jsontext.SkipSpace(s, next)
			}
			if next < len(s) && s[next] == b+2 { // the closing bracket of its kind
				i = next + 1
				break
			}
			sc.stack = append(sc.stack, in)
			in = openContainer{names: uint32(len(sc.Names)), extent: int32(sc.OpenExtent(i)),
				array: b == '['}
			if open++; depth+open > sc.Depth {
				sc.Depth = depth + open
			}
			i = next
			continue
		default:
			if i, err = Scalar(s, i); err != nil {
				return i, err
			}
		}
		for {
			if open == 0 {
				return i, nil
			}
			if i < len(s) && s[i] <= ' ' {
				i = jsontext.SkipSpace(s, i)
			}
			if i < len(s) && s[i] == ',' {
				if i++; i < len(s) && s[i] <= ' ' {
					i = jsontext.SkipSpace(s, i)
				}
				break
			}
			if in.array {
				if i >= len(s) || s[i] != ']' {
					return i, Unexpected(s, i, "',' or ']'")
				}
			} else {
				if i >= len(s) || s[i] != '}' {
					return i, Unexpected(s, i, "',' or '}'")
				}
				sc.ReleaseNames(s, int(in.names))
			}
			i++
			sc.CloseExtent(int(in.extent), i)
			open--
			last := len(sc.stack) - 1
			in, sc.stack = sc.stack[last], sc.stack[:last]
		}
	}
}
