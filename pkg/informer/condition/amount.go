package condition

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/informerd/informerd/pkg/informer/object"
)

const (
	maxAmount = 1e24 // of a quantity
	maxDigits = 15   // of a quantity that is exact
	// the part of a quantity that a float64 may lose, and the least that Kubernetes keeps
	nearly     = 1e-9
	maxVersion = 1e5 // each number of a version is less, so that all three are one float64
)

// Amount reads a text as a number that has the order of the values; ok is false if the text
// cannot be read. It does not allocate.
func Amount(as As, text string) (amount float64, ok bool) {
	switch as {
	case AsQuantity:
		return quantity(text)
	case AsVersion:
		return version(text)
	}
	return 0, false
}

var suffixes = map[string]float64{
	"": 1, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15,
	"E":  1e18,
	"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50, "Ei": 1 << 60,
}

// quantity reads what Kubernetes usually writes: digits, a fraction and a suffix, but no
// exponent.
func quantity(text string) (float64, bool) {
	end := len(text)
	for end > 0 && (text[end-1] < '0' || text[end-1] > '9') {
		end--
	}
	unit, known := suffixes[text[end:]]
	digits := strings.TrimPrefix(text[:end], "-")
	whole, fraction, hasPoint := strings.Cut(digits, ".")
	if !known || len(digits) > maxDigits || !isDigits(whole) || hasPoint && !isDigits(fraction) {
		return 0, false
	}
	f, err := strconv.ParseFloat(text[:end], 64)
	return f * unit, err == nil && math.Abs(f*unit) < maxAmount
}

// version reads one to three numbers, with or without a v.
func version(text string) (all float64, ok bool) {
	rest, more := strings.TrimPrefix(text, "v"), true
	for range 3 {
		part := "0"
		if more {
			part, rest, more = strings.Cut(rest, ".")
		}
		if !isDigits(part) || len(part) > 1 && part[0] == '0' {
			return 0, false
		}
		n, err := strconv.Atoi(part)
		if err != nil || n >= maxVersion {
			return 0, false
		}
		all = all*maxVersion + float64(n)
	}
	return all, !more
}

func isDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// amounts returns the values of a condition that Validate accepts.
func amounts(c *Condition) []float64 {
	all := slices.Clone(c.Numbers)
	for _, text := range c.Values {
		amount, _ := Amount(c.As, text)
		all = append(all, amount)
	}
	return all
}

// read returns the value read as such.
func (c *cell) read(as As) (amount float64, ok bool) {
	if c.as == as {
		return c.amount, c.isAmount
	}
	c.as, c.isAmount = as, false
	switch kind := c.value.Kind(); {
	case kind == object.String:
		c.amount, c.isAmount = Amount(as, c.string())
	case kind == object.Number && as == AsQuantity:
		c.amount, c.isAmount = c.float()
	}
	return c.amount, c.isAmount
}

// amount answers for a value that is read as a quantity or a version.
func (c *check) amount(x *cell) answer {
	f, ok := x.read(c.as)
	if !ok || c.test != In && len(c.numbers) != 1 {
		return unknown
	}
	found := no
	for _, n := range c.numbers {
		switch near := math.Abs(f-n) <= c.as.inexact(n); {
		case near && c.as == AsQuantity:
			return unknown
		case near:
			found = yes
		}
	}
	switch {
	case c.test == In:
		return found
	case found == yes:
		return c.order(0)
	case f < c.numbers[0]:
		return c.order(-1)
	}
	return c.order(1)
}

// inexact returns how far from a number a number may be that counts as equal.
func (as As) inexact(n float64) float64 {
	if as == AsQuantity {
		return 2 * nearly * max(1, math.Abs(n))
	}
	return 0
}
