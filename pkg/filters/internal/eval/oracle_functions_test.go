package eval_test

import (
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// calculate is arithmetic.
func calculate(operator string, a, b any) any {
	if a == nil || b == nil {
		return nil
	}
	i, ok1 := a.(int)
	j, ok2 := b.(int)
	switch {
	case ok1 && ok2 && operator == "%":
		if j == 0 {
			undefine("division by zero")
		}
		return i % j
	case ok1 && ok2 && operator == "+":
		return within64(new(big.Int).Add(big.NewInt(int64(i)), big.NewInt(int64(j))))
	case ok1 && ok2 && operator == "-":
		return within64(new(big.Int).Sub(big.NewInt(int64(i)), big.NewInt(int64(j))))
	case ok1 && ok2 && operator == "*":
		return within64(new(big.Int).Mul(big.NewInt(int64(i)), big.NewInt(int64(j))))
	case isNumber(a) && isNumber(b) && operator != "%":
		return arithmeticOf(operator, floatOf(a), floatOf(b))
	}
	x, ok1 := a.(string)
	y, ok2 := b.(string)
	if ok1 && ok2 && operator == "+" {
		return x + y
	}
	if operator == "+" || operator == "-" {
		if _, ok := a.(oQuantity); ok {
			b = like(b, a)
		} else if _, ok := b.(oQuantity); ok {
			a = like(a, b)
		} else if _, ok := a.(time.Duration); ok {
			b = like(b, a)
		} else if _, ok := b.(time.Duration); ok {
			a = like(a, b)
		}
		if a == nil || b == nil {
			return nil
		}
	}
	switch x := a.(type) {
	case oQuantity:
		return ofQuantity(operator, x, b)
	case time.Time:
		switch y := b.(type) {
		case time.Time:
			if operator == "-" {
				return x.Sub(y)
			}
		case time.Duration:
			if operator == "+" {
				return x.Add(y)
			} else if operator == "-" {
				return x.Add(-y)
			}
		}
	case time.Duration:
		switch y := b.(type) {
		case time.Time:
			if operator == "+" {
				return y.Add(x)
			}
		case time.Duration:
			if operator == "+" {
				return wholeDuration(big.NewInt(0).Add(big.NewInt(int64(x)), big.NewInt(int64(y))))
			} else if operator == "-" {
				return wholeDuration(big.NewInt(0).Sub(big.NewInt(int64(x)), big.NewInt(int64(y))))
			}
		default:
			if operator == "*" && isNumber(b) {
				return multiplied(x, b)
			}
		}
	}
	if operator == "*" && isNumber(a) {
		switch y := b.(type) {
		case oQuantity:
			return ofQuantity(operator, y, a)
		case time.Duration:
			return multiplied(y, a)
		}
	}
	undefine("arithmetic")
	return nil
}

// within64 returns a number as an int, which is an error where it is none of 64 bits.
func within64(n *big.Int) any {
	if !n.IsInt64() {
		undefine("beyond 64 bits")
	}
	return int(n.Int64())
}

func wholeDuration(n *big.Int) any {
	if !n.IsInt64() {
		return nil
	}
	return time.Duration(n.Int64())
}

func multiplied(d time.Duration, by any) any {
	if n, ok := by.(int); ok {
		return wholeDuration(new(big.Int).Mul(big.NewInt(int64(n)), big.NewInt(int64(d))))
	}
	f := by.(float64) * float64(d)
	if math.IsNaN(f) || math.Abs(f) >= 1<<63 {
		return nil
	}
	return time.Duration(f)
}

func ofQuantity(operator string, x oQuantity, b any) any {
	switch operator {
	case "+", "-":
		if y, ok := b.(oQuantity); ok {
			if operator == "+" {
				return bounds(new(big.Rat).Add(x.Rat, y.Rat))
			}
			return bounds(new(big.Rat).Sub(x.Rat, y.Rat))
		}
	case "*":
		if isNumber(b) {
			y, ok := quantityOfNumber(b).(oQuantity)
			if !ok {
				return nil
			}
			return bounds(roundUp(new(big.Rat).Mul(x.Rat, y.Rat)))
		}
	}
	undefine("arithmetic of quantities")
	return nil
}

func (o *oracle) function(name string, args []ast.Node) any {
	switch name {
	case "any", "all", "none", "one", "count", "sum", "filter", "map", "find", "findIndex",
		"findLast", "findLastIndex":
		return o.predicate(name, args)
	case "changed":
		return o.changed(args)
	case "became":
		if o.vars["old"] == nil || !isTrue(o.eval(args[0])) {
			return false
		}
		before := &oracle{vars: map[string]any{"object": o.vars["old"]}, now: o.now,
			caches: o.caches}
		return !isTrue(before.eval(args[0]))
	}
	values := make([]any, len(args))
	for i := range args {
		values[i] = o.eval(args[i])
	}
	if name == "age" && len(args) == 0 {
		values = []any{nil}
		values[0] = memberOf(memberOf(o.vars["object"], "metadata"), "creationTimestamp")
	}
	switch name {
	case "label", "annotation":
		return memberOf(memberOf(memberOf(o.vars["object"], "metadata"), name+"s"), values[0])
	case "owner", "condition":
		return o.found(name, values[0])
	case "cached", "byIndex", "clusters":
		return o.lookUp(name, values)
	case "glob":
		return globOf(values[0], values[1])
	case "len":
		return lengthOf(values[0])
	}
	for _, v := range values {
		if v == nil {
			return nil
		}
	}
	return o.plain(name, values[0], values[1:])
}

// plain are the functions that are nil of nil.
func (o *oracle) plain(name string, x any, more []any) any {
	text, isText := x.(string)
	switch name {
	case "first":
		return memberOf(mustBeList(x), 0)
	case "last":
		return memberOf(mustBeList(x), -1)
	case "keys", "values":
		m, ok := x.(members)
		if !ok {
			undefine("keys")
		}
		list := []any{}
		for _, key := range m.keys {
			if name == "keys" {
				list = append(list, key)
			} else {
				list = append(list, m.values[key])
			}
		}
		return list
	case "quantity", "duration", "semver", "ip", "cidr", "image":
		return meantBy(name, x)
	case "age":
		if t, ok := x.(time.Time); ok {
			return o.now.Sub(t)
		}
		if !isText {
			undefine("age")
		}
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return nil
		}
		return o.now.Sub(t)
	case "min", "max":
		return leastAmong(append([]any{x}, more...), name == "max")
	case "string":
		return stringOf(x)
	case "abs", "ceil", "floor", "round":
		return rounded(name, x)
	case "int", "float":
		return numberOf(name, x)
	}
	if !isText {
		undefine("no text")
	}
	part := ""
	if len(more) > 0 {
		if part, isText = more[0].(string); !isText {
			undefine("no text")
		}
	}
	switch name {
	case "date":
		return dateOf(text)
	case "lower":
		return strings.ToLower(text)
	case "upper":
		return strings.ToUpper(text)
	case "trim":
		if len(more) > 0 {
			return strings.Trim(text, part)
		}
		return strings.TrimSpace(text)
	case "trimPrefix":
		return strings.TrimPrefix(text, part)
	case "trimSuffix":
		return strings.TrimSuffix(text, part)
	case "hasPrefix":
		return strings.HasPrefix(text, part)
	case "hasSuffix":
		return strings.HasSuffix(text, part)
	case "indexOf", "lastIndexOf":
		return placeOf(name, []rune(text), []rune(part))
	}
	panic(unsupported{name})
}

func placeOf(name string, text, part []rune) any {
	at := -1
	for i := 0; i+len(part) <= len(text); i++ {
		if string(text[i:i+len(part)]) == string(part) {
			if at = i; name == "indexOf" {
				return at
			}
		}
	}
	return at
}

func mustBeList(x any) any { return itemsOf(x) }

func meantBy(name string, x any) any {
	other := map[string]any{"quantity": oQuantity{}, "duration": time.Duration(0),
		"semver": oVersion{}, "ip": oAddress{}, "cidr": oNetwork{}, "image": oImage{}}[name]
	if _, isText := x.(string); isText || isNumber(x) && name == "quantity" {
		return like(x, other)
	}
	same := false
	switch x.(type) {
	case oQuantity:
		same = name == "quantity"
	case time.Duration:
		same = name == "duration"
	case oVersion:
		same = name == "semver"
	case oAddress:
		same = name == "ip"
	case oNetwork:
		same = name == "cidr"
	case oImage:
		same = name == "image"
	}
	if !same {
		undefine("cannot be read")
	}
	return x
}

func lengthOf(x any) any {
	switch x := x.(type) {
	case nil:
		return 0
	case string:
		return utf8.RuneCountInString(x)
	case []any:
		return len(x)
	case members:
		return len(x.values)
	}
	undefine("len")
	return nil
}

func leastAmong(values []any, most bool) any {
	var least any
	for _, v := range values {
		if v == nil {
			return nil
		}
		if list, ok := v.([]any); ok {
			if len(list) == 0 {
				continue
			}
			if v = leastAmong(list, most); v == nil {
				if deepNil(list) {
					return nil
				}
				continue
			}
		}
		switch v.(type) {
		case int, float64, oQuantity, oVersion, time.Duration, time.Time:
		default:
			undefine("no number")
		}
		if least == nil {
			least = v
		} else if c, ok := orderOf(v, least); ok && (c < 0) != most && c != 0 {
			least = v
		}
	}
	return least
}

func deepNil(list []any) bool {
	for _, v := range list {
		if inner, ok := v.([]any); v == nil || ok && deepNil(inner) {
			return true
		}
	}
	return false
}

func stringOf(x any) any {
	switch x := x.(type) {
	case string:
		return x
	case bool:
		return strconv.FormatBool(x)
	case int:
		return strconv.Itoa(x)
	case time.Time:
		return x.Format(time.RFC3339Nano)
	case time.Duration:
		return textOfDuration(x)
	case oAddress:
		return x.String()
	case oNetwork:
		return x.String()
	case oImage:
		return x.parts[""]
	case []any, members:
		undefine("string")
	}
	panic(unsupported{"string"})
}

func rounded(name string, x any) any {
	if !isNumber(x) {
		undefine("no number")
	}
	if n, ok := x.(int); ok && name == "abs" {
		return within64(new(big.Int).Abs(big.NewInt(int64(n))))
	}
	f := floatOf(x)
	switch name {
	case "ceil":
		return math.Ceil(f)
	case "floor":
		return math.Floor(f)
	case "round":
		return math.Round(f)
	}
	return math.Abs(f)
}

func numberOf(name string, x any) any {
	switch x := x.(type) {
	case string:
		if len(x) > 100 {
			panic(unsupported{"a long number"})
		}
		f, err := strconv.ParseFloat(x, 64)
		if name == "float" {
			if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
				return nil
			}
			return f
		}
		if n, err := strconv.Atoi(x); err == nil {
			return n
		}
		return nil
	case int:
		if name == "float" {
			return float64(x)
		}
		return x
	case float64:
		if name == "float" {
			return x
		}
		if math.IsNaN(x) || x < -1<<63 || x >= 1<<63 {
			return nil
		}
		return int(x)
	case time.Duration:
		if name == "int" {
			return int(x)
		}
	}
	undefine("no number")
	return nil
}

func dateOf(text string) any {
	for _, layout := range []string{"2006-01-02", "15:04:05", "2006-01-02 15:04:05", time.RFC3339,
		time.RFC822, time.RFC850, time.RFC1123} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	return nil
}

func globOf(pattern, text any) any {
	if pattern == nil || text == nil {
		return false
	}
	p, ok1 := pattern.(string)
	t, ok2 := text.(string)
	if !ok1 || !ok2 {
		undefine("glob")
	}
	expression := strings.NewReplacer(`\*`, `(?s:.*)`, `\?`, `(?s:.)`).Replace(regexp.QuoteMeta(p))
	return regexp.MustCompile(`\A` + expression + `\z`).MatchString(t)
}

func (o *oracle) found(name string, kind any) any {
	if kind == nil {
		return nil
	}
	if _, ok := kind.(string); !ok {
		undefine("no text")
	}
	list, key := memberOf(memberOf(o.vars["object"], "metadata"), "ownerReferences"), "kind"
	if name == "condition" {
		list, key = memberOf(memberOf(o.vars["object"], "status"), "conditions"), "type"
	}
	items, _ := list.([]any)
	var found any
	for _, item := range items {
		if memberOf(item, key) != kind {
			continue
		}
		if name == "condition" || memberOf(item, "controller") == true {
			return item
		}
		if found == nil {
			found = item
		}
	}
	return found
}

func (o *oracle) lookUp(name string, values []any) any {
	key := name
	if slices.ContainsFunc(values, func(v any) bool { return v == nil }) {
		return nil
	}
	for i, v := range values {
		text, ok := v.(string)
		if !ok && i > 0 {
			undefine("no text")
		}
		key += "/" + text
	}
	found := o.caches[key]
	if found == nil && name != "cached" {
		return []any{}
	}
	return found
}

func (o *oracle) changed(args []ast.Node) any {
	if o.vars["old"] == nil {
		return false
	}
	for _, arg := range args {
		now, before := o.vars["object"], o.vars["old"]
		steps, err := object.PathSteps(arg.(*ast.StringNode).Value)
		if err != nil {
			panic(err)
		}
		for _, step := range steps {
			var key any = step.Key
			if step.IsIndex {
				key = step.Index
			}
			now, before = memberOf(now, key), memberOf(before, key)
		}
		if !equalValues(now, before) {
			return true
		}
	}
	return false
}

func (o *oracle) predicate(name string, args []ast.Node) any {
	list := itemsOf(o.eval(args[0]))
	body := func(i int) any {
		if len(args) == 1 {
			return list[i]
		}
		o.items = append(o.items, list[i])
		v := o.eval(args[1])
		o.items = o.items[:len(o.items)-1]
		return v
	}
	kept, places, mapped := []any{}, []int{}, []any{}
	var sum any
	for i := range list {
		v := body(i)
		switch name {
		case "map":
			mapped = append(mapped, v)
			continue
		case "sum":
			sum = added(sum, v)
			continue
		}
		if isTrue(v) {
			kept, places = append(kept, list[i]), append(places, i)
		}
		switch name { // these look no further than they must
		case "any", "find", "findIndex", "none":
			if len(places) > 0 {
				i = len(list)
			}
		case "all":
			if len(places) <= i {
				return false
			}
		}
		if i == len(list) {
			break
		}
	}
	switch name {
	case "any":
		return len(places) > 0
	case "all":
		return true
	case "none":
		return len(places) == 0
	case "one":
		return len(places) == 1
	case "count":
		return len(places)
	case "filter":
		return kept
	case "map":
		return mapped
	case "sum":
		return sumOf(sum)
	}
	if len(places) == 0 {
		return nil
	}
	at := 0
	if strings.HasPrefix(name, "findLast") {
		at = len(places) - 1
	}
	if strings.HasSuffix(name, "Index") {
		return places[at]
	}
	return kept[at]
}

// beyondSum is the total of a sum that is too large; a total is a number, a duration, a quantity,
// or beyondSum; beyondSpan is one of durations that is too large.
type beyondSum struct{}
type beyondSpan struct{}

func added(sum, v any) any {
	if v == nil {
		return sum
	}
	_, isQuantity := v.(oQuantity)
	_, isDuration := v.(time.Duration)
	if !isNumber(v) && !isQuantity && !isDuration {
		undefine("sum")
	}
	if sum == nil {
		if isQuantity {
			return oQuantity{new(big.Rat).Set(v.(oQuantity).Rat)}
		}
		return v
	}
	switch s := sum.(type) {
	case beyondSum:
		if isDuration {
			undefine("sum")
		}
		return s
	case beyondSpan:
		if !isDuration {
			undefine("sum")
		}
		return s
	case time.Duration:
		if !isDuration {
			undefine("sum")
		}
		total := wholeDuration(new(big.Int).Add(big.NewInt(int64(s)), big.NewInt(int64(v.(time.Duration)))))
		if total == nil {
			return beyondSpan{}
		}
		return total
	case oQuantity:
		if isDuration {
			undefine("sum")
		}
		if isNumber(v) {
			if v = quantityOfNumber(v); v == nil {
				return beyondSum{}
			}
		}
		return oQuantity{new(big.Rat).Add(s.Rat, v.(oQuantity).Rat)}
	}
	switch v := v.(type) {
	case time.Duration:
		undefine("sum")
	case oQuantity:
		if sum = quantityOfNumber(sum); sum == nil {
			return beyondSum{}
		}
		return oQuantity{new(big.Rat).Add(sum.(oQuantity).Rat, v.Rat)}
	}
	return calculate("+", sum, v)
}

func sumOf(sum any) any {
	switch s := sum.(type) {
	case nil:
		return 0
	case beyondSum, beyondSpan:
		return nil
	case oQuantity:
		return bounds(s.Rat)
	}
	return sum
}

// oracleOf is the oracle of an event.
func oracleOf(ev event.Event, now time.Time, caches map[string]any) *oracle {
	o := &oracle{now: now, caches: caches, vars: map[string]any{
		"op": ev.Op.String(), "initial": ev.Initial, "missed": int(ev.Missed), "resumed": ev.Resumed,
		"listener": "", "object": decodeJSON(ev.Object.JSON()),
	}}
	o.setCluster("c", oracleLabels)
	if ev.Op == event.Update && ev.Old != nil {
		o.vars["old"] = decodeJSON(ev.Old.JSON())
	}
	return o
}

// oracleLabels are those of the cluster of events.
var oracleLabels = map[string]string{"a": "b", "é": "1Gi", "a.b/c": ""}

// setCluster sets what expressions see of the cluster.
func (o *oracle) setCluster(name string, labels map[string]string) {
	m := members{keys: slices.Sorted(maps.Keys(labels)), values: map[string]any{}}
	for key, value := range labels {
		m.values[key] = value
	}
	o.vars["cluster"], o.vars["cluster.name"], o.vars["cluster.labels"] = name, name, m
}
