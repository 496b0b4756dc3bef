package object

// ScanValue checks the JSON value at the beginning of text, after white space, and returns the
// offset behind it.
func ScanValue(text []byte) (end int, err error) {
	s := view(text)
	c := scanner{ignoreNames: true}
	return c.value(s, skipSpace(s, 0), 0)
}
