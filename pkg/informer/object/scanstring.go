package object

import "math/bits"

// string reads the string at i, whatever it has in it.
func (c *checker) string(s string, i int) (int, error) {
	for i++; i+8 <= len(s); i += 8 {
		if x := unusual(word(s, i)); x != 0 {
			if i += bits.TrailingZeros64(x) / 8; s[i] == '"' {
				return i + 1, nil
			}
			break
		}
	}
	return c.restOfString(s, i)
}

// restOfString reads a string from a place within it on.
func (c *checker) restOfString(s string, i int) (int, error) {
	for {
		i = usualRun(s, i)
		if i < len(s) && s[i] >= 0x80 {
			c.unASCII = true
			i = plainRun(s, i)
		}
		if i >= len(s) {
			return i, syntaxErr(s, i, "")
		}
		switch s[i] {
		case '"':
			return i + 1, nil
		case '\\':
			end, err := scanEscape(s, i)
			if err != nil {
				return end, err
			}
			i = end
		default:
			return i, syntaxErr(s, i, "no control character in a string")
		}
	}
}

func scanEscape(s string, i int) (int, error) {
	if i+1 >= len(s) {
		return i, syntaxErr(s, len(s), "")
	}
	switch s[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, nil
	case 'u':
		for j := i + 2; j < i+6; j++ {
			if j >= len(s) || hexDigit(s[j]) < 0 {
				return j, syntaxErr(s, j, "a hexadecimal digit")
			}
		}
		return i + 6, nil
	}
	return i + 1, syntaxErr(s, i+1, "an escape character")
}
