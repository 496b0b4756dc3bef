package condition

import (
	"strconv"

	"github.com/informerd/informerd/pkg/informer/object"
)

// cell is a field's value, with what the first condition that asked has read of it.
type cell struct {
	value  object.Value
	text   string
	number float64
	known  uint8
	// differs reports whether the field may differ from the state before, for that pair of objects.
	pair    uint64
	differs bool
}

// What a cell has read.
const (
	hasText = 1 << iota
	hasNumber
	isExact // the number is that of the JSON text
)

func (c *cell) set(v object.Value) { c.value, c.known = v, 0 }

// string returns the text of a string.
func (c *cell) string() string {
	if c.known&hasText == 0 {
		c.known |= hasText
		c.text = c.value.Text()
	}
	return c.text
}

// maxExact is the bound below which every whole number is a float64.
const maxExact = 1 << 53

// float returns the number of a value that is one, and whether it compares like the JSON
// number.
func (c *cell) float() (f float64, exact bool) {
	if c.known&hasNumber == 0 {
		c.known |= hasNumber
		c.number, _ = strconv.ParseFloat(c.value.Raw(), 64)
		if c.number > -maxExact && c.number < maxExact {
			c.known |= isExact
		}
	}
	return c.number, c.known&isExact != 0
}
