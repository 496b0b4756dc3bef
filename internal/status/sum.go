package status

import (
	"reflect"
	"slices"
	"time"
)

// states are from the best to the worst.
var states = []string{Running, Starting, Paused, Failing}

// Add adds what a listener is in another shard or cluster: counts are sums, times and states
// those where it is worst off.
func (l *Listener) Add(other *Listener) {
	state := states[max(slices.Index(states, l.State), slices.Index(states, other.State))]
	add(reflect.ValueOf(l).Elem(), reflect.ValueOf(other).Elem())
	l.State = state
}

// add adds a value of a status to another one of its type.
func add(to, more reflect.Value) {
	switch to.Kind() {
	case reflect.Int, reflect.Int64:
		to.SetInt(to.Int() + more.Int())
	case reflect.Uint64:
		to.SetUint(to.Uint() + more.Uint())
	case reflect.Float64:
		to.SetFloat(max(to.Float(), more.Float()))
	case reflect.String:
		if to.Len() == 0 {
			to.Set(more)
		}
	case reflect.Struct:
		if end, is := more.Interface().(time.Time); is {
			if end.After(to.Interface().(time.Time)) {
				to.Set(more)
			}
			return
		}
		for i := range to.NumField() {
			add(to.Field(i), more.Field(i))
		}
	case reflect.Pointer:
		switch {
		case more.IsNil():
		case to.IsNil():
			to.Set(more)
		default:
			add(to.Elem(), more.Elem())
		}
	case reflect.Map: // of counts
		for _, key := range more.MapKeys() {
			sum := reflect.New(to.Type().Elem()).Elem()
			if had := to.MapIndex(key); had.IsValid() {
				sum.Set(had)
			}
			add(sum, more.MapIndex(key))
			to.SetMapIndex(key, sum)
		}
	case reflect.Slice:
		addSlice(to, more)
	}
}

// addSlice adds texts that are not there yet, or outputs, which are the same everywhere.
func addSlice(to, more reflect.Value) {
	if texts, are := to.Interface().([]string); are {
		for _, text := range more.Interface().([]string) {
			if !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
		to.Set(reflect.ValueOf(texts))
		return
	}
	for i := range more.Len() {
		if i < to.Len() {
			add(to.Index(i), more.Index(i))
		} else {
			to.Set(reflect.Append(to, more.Index(i)))
		}
	}
}
