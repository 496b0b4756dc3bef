package scan

// Scalar checks the number, true, false or null at i and returns its end, or the place of an error.
func Scalar(s string, i int) (int, error) {
	switch b := s[i]; {
	case b == '-' || b >= '0' && b <= '9':
		return scanNumber(s, i)
	case b == 't':
		return scanLiteral(s, i, "true")
	case b == 'f':
		return scanLiteral(s, i, "false")
	case b == 'n':
		return scanLiteral(s, i, "null")
	}
	return i, Unexpected(s, i, "a JSON value")
}

// scanLiteral checks true, false or null.
func scanLiteral(s string, i int, word string) (int, error) {
	if len(s)-i >= len(word) && s[i:i+len(word)] == word {
		return i + len(word), nil
	}
	for j := range len(word) {
		if i+j >= len(s) || s[i+j] != word[j] {
			return i + j, Unexpected(s, i+j, word)
		}
	}
	return i + len(word), nil
}

// scanNumber checks a number.
func scanNumber(s string, i int) (int, error) {
	if s[i] == '-' {
		i++
	}
	if i < len(s) && s[i] == '0' {
		i++
	} else {
		end := skipDigits(s, i)
		if end == i {
			return i, Unexpected(s, i, "a digit")
		}
		i = end
	}
	if i < len(s) && s[i] == '.' {
		end := skipDigits(s, i+1)
		if end == i+1 {
			return end, Unexpected(s, end, "a digit")
		}
		i = end
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		end := skipDigits(s, i)
		if end == i {
			return end, Unexpected(s, end, "a digit")
		}
		i = end
	}
	return i, nil
}

// skipDigits returns the end of the digits at i.
func skipDigits(s string, i int) int {
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}
