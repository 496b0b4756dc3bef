package conditiontest

import (
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/informerd/informerd/pkg/informer/condition"
)

// compareAmounts answers for what is read as a quantity or a version, by exact numbers.
func compareAmounts(c condition.Condition, value any) string {
	var values []any
	for _, v := range c.Values {
		values = append(values, v)
	}
	for _, v := range c.Numbers {
		values = append(values, json.Number(strconv.FormatFloat(v, 'f', -1, 64)))
	}
	found, last := false, 0
	for _, v := range values {
		compared, ok := compareAmount(c.As, value, v)
		switch {
		case !ok, compared == 0 && c.As == condition.AsQuantity:
			return "unknown"
		case compared == 0:
			found = true
		}
		last = compared
	}
	_, known := compareAmount(c.As, value, value)
	switch {
	case !known:
		return "unknown"
	case c.Test&^1 == condition.In:
		return answer(found)
	case len(values) != 1:
		return "unknown"
	}
	return ordered(c.Test&^1, last < 0, last == 0)
}

var (
	plainQuantity = regexp.MustCompile(`^(-?([0-9]+(?:\.[0-9]+)?))([numkMGTPE]|[KMGTPE]i)?$`)
	plainVersion  = regexp.MustCompile(
		`^v?(0|[1-9][0-9]{0,4})(?:\.(0|[1-9][0-9]{0,4}))?(?:\.(0|[1-9][0-9]{0,4}))?$`)
)

// compareAmount is false if one of the values is not of the plain form.
func compareAmount(as condition.As, a, b any) (compared int, ok bool) {
	if as == condition.AsQuantity {
		x, y := quantityOf(a), quantityOf(b)
		if x == nil || y == nil {
			return 0, false
		}
		if nearly(x, y) {
			return 0, true
		}
		return x.Cmp(y), true
	}
	x, y := versionOf(a), versionOf(b)
	return slices.Compare(x, y), x != nil && y != nil
}

// nearly reports whether two quantities differ by less than 2n, or than that part of the second
// one.
func nearly(x, y *big.Rat) bool {
	most := new(big.Rat).Abs(y)
	if one := big.NewRat(1, 1); most.Cmp(one) < 0 {
		most = one
	}
	most.Mul(most, big.NewRat(2, 1e9))
	difference := new(big.Rat).Sub(x, y)
	return difference.Abs(difference).Cmp(most) <= 0
}

// quantityOf is nil for what is not of the plain form.
func quantityOf(v any) *big.Rat {
	switch v := v.(type) {
	case string:
		parts := plainQuantity.FindStringSubmatch(v)
		if parts == nil || len(parts[2]) > 15 {
			return nil
		}
		q, _ := new(big.Rat).SetString(parts[1])
		base, power := int64(1000), strings.Index("num kMGTPE", parts[3])-3
		switch {
		case parts[3] == "":
			power = 0
		case parts[3][len(parts[3])-1] == 'i':
			base, power = 1024, strings.Index("KMGTPE", parts[3][:1])+1
		}
		for ; power > 0; power-- {
			q.Mul(q, big.NewRat(base, 1))
		}
		for ; power < 0; power++ {
			q.Quo(q, big.NewRat(base, 1))
		}
		return q
	case json.Number:
		if f, exact := number(v); exact {
			return new(big.Rat).SetFloat64(f)
		}
	}
	return nil
}

// versionOf is nil for what is not of the plain form.
func versionOf(v any) []int {
	text, _ := v.(string)
	parts := plainVersion.FindStringSubmatch(text)
	if parts == nil {
		return nil
	}
	numbers := make([]int, 3)
	for i, part := range parts[1:] {
		numbers[i], _ = strconv.Atoi(part) // 0 for one that is missing
	}
	return numbers
}
