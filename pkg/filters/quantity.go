package filters

import (
	"math"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// quantity is an amount as Kubernetes writes it. The methods of resource.Quantity change what they
// read: they are for copies alone.
type quantity struct{ *resource.Quantity }

const (
	// maxQuantity is how long a text can be. What Kubernetes makes is a third of it.
	maxQuantity = 64
	// maxExponent bounds 1e…, whose digits would all be made.
	maxExponent = 30
)

// largest is beyond what can be the amount of anything; more, or less than minus that, is nil.
const largest = 1e30

func (quantity) typeName() string { return "quantity" }

func (quantity) field(string) any { return nil }

func (q quantity) text() string {
	c := q.Quantity.DeepCopy()
	return c.String()
}

func (q quantity) compare(other quantity) int {
	a, b := *q.Quantity, *other.Quantity
	return a.Cmp(b)
}

// bounded gives a quantity as a value, nil if it is out of bounds.
func bounded(q resource.Quantity) any {
	if math.Abs(q.AsApproximateFloat64()) > largest {
		return nil
	}
	return quantity{&q}
}

func parseQuantity(text string) any {
	if text == "" || len(text) > maxQuantity || !smallExponent(text) ||
		!strings.ContainsAny(text, "0123456789") {
		return nil
	}
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return nil
	}
	return bounded(q)
}

// smallExponent tells whether the number behind an e is one that can be computed with. E and Ei are
// suffixes like others.
func smallExponent(text string) bool {
	i := strings.IndexAny(text, "eE")
	if i < 0 || i == len(text)-1 || text[i:] == "Ei" {
		return true
	}
	n, err := strconv.Atoi(text[i+1:])
	return err == nil && n >= -maxExponent && n <= maxExponent
}
