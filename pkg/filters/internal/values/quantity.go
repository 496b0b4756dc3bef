package values

import (
	"math"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Quantity is an amount as Kubernetes writes it. Methods of resource.Quantity change their
// receiver: call them on copies.
type Quantity struct{ *resource.Quantity }

const (
	// maxQuantity is how long a text may be. Kubernetes writes a third of it at most.
	maxQuantity = 64
	// maxExponent bounds 1e…, of which all digits would be written out.
	maxExponent = 30
)

// Largest is the largest amount. A larger one, or one below its negative, is nil.
const Largest = 1e30

func (Quantity) typeName() string { return "quantity" }

func (q Quantity) Text() string {
	c := q.Quantity.DeepCopy()
	return c.String()
}

func (q Quantity) Compare(other Quantity) int {
	a, b := *q.Quantity, *other.Quantity
	return a.Cmp(b)
}

// Bounded returns a quantity as a value, nil if it is out of bounds.
func Bounded(q resource.Quantity) any {
	if math.Abs(q.AsApproximateFloat64()) > Largest {
		return nil
	}
	return Quantity{&q}
}

func ParseQuantity(text string) any {
	if text == "" || len(text) > maxQuantity || !smallExponent(text) ||
		!strings.ContainsAny(text, "0123456789") {
		return nil
	}
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return nil
	}
	return Bounded(q)
}

// smallExponent reports whether the number after an e is within bounds. E and Ei are
// suffixes like others.
func smallExponent(text string) bool {
	i := strings.IndexAny(text, "eE")
	if i < 0 || i == len(text)-1 || text[i:] == "Ei" {
		return true
	}
	n, err := strconv.Atoi(text[i+1:])
	return err == nil && n >= -maxExponent && n <= maxExponent
}
