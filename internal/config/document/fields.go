package document

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/filters"
)

// Field is a field of a struct, with all that its tags say.
type Field struct {
	// Name is the field's name in a file, and GoName that in Go.
	Name, GoName string
	Type         reflect.Type
	// Inline is true for a field whose members are those of the struct around it.
	Inline bool
	Rules  Rules

	owner reflect.Type // the struct
	index int
}

// Rules are what the tag jsonschema of a field says of its value. Checks, reference and JSON Schema
// come from here. Rules about a text apply to the items of a list and the values of a mapping.
type Rules struct {
	Required bool     // required
	Default  []string // default=…, once for each item of a list
	// Minimum and Maximum of a number, a duration, a quantity of bytes or a time, as they are
	// written in a file.
	Minimum, Maximum string // minimum=…, maximum=…
	Zero             string // zero=never: 0 may be written as well, and this is what it means
	MinLength        int    // minLength=1
	MinItems         int    // minItems=…, minProperties=…
	MaxItems         int    // maxItems=…, maxProperties=…
	Unique           bool   // uniqueItems
	WriteOnly        bool   // writeOnly: mistakes do not show the value
	Enum             []string
	Format           string // format=…, of Kind.Formats
	Keys             string // propertyNames=…, of Kind.Formats
	// OneOf groups fields of which exactly one is set, AnyOf those of which at least one is.
	OneOf, AnyOf string // oneof_required=…, anyof_required=…

	// Item is the tag item: the word for an item of a list, or for what a path leads to.
	Item string
}

// fieldsByType has the fields of each type that was asked for: []Field by reflect.Type.
var fieldsByType sync.Map

// FieldsOf returns the fields of a struct that a file may have, in their order. A tag that cannot
// be read is a mistake of the program, and ends it.
func FieldsOf(t reflect.Type) []Field {
	if known, ok := fieldsByType.Load(t); ok {
		return known.([]Field)
	}
	var fields []Field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		inline := options == "inline"
		if (name == "" || name == "-") && !inline || !f.IsExported() {
			continue
		}
		rules, err := readRules(f, f.Tag.Get("jsonschema"))
		if err != nil {
			panic(fmt.Sprintf("document: %s.%s: %v", t, f.Name, err))
		}
		fields = append(fields, Field{name, f.Name, f.Type, inline, rules, t, i})
	}
	fieldsByType.Store(t, fields)
	return fields
}

func readRules(f reflect.StructField, tag string) (r Rules, err error) {
	r.Item = f.Tag.Get("item")
	if tag == "" {
		return r, nil
	}
	flags := map[string]*bool{"required": &r.Required, "uniqueItems": &r.Unique,
		"writeOnly": &r.WriteOnly}
	texts := map[string]*string{"minimum": &r.Minimum, "maximum": &r.Maximum, "zero": &r.Zero,
		"format": &r.Format, "propertyNames": &r.Keys, "oneof_required": &r.OneOf,
		"anyof_required": &r.AnyOf}
	lists := map[string]*[]string{"default": &r.Default, "enum": &r.Enum}
	numbers := map[string]*int{"minLength": &r.MinLength, "minItems": &r.MinItems,
		"minProperties": &r.MinItems, "maxItems": &r.MaxItems, "maxProperties": &r.MaxItems}
	for _, part := range strings.Split(tag, ",") {
		key, value, _ := strings.Cut(part, "=")
		switch {
		case flags[key] != nil:
			*flags[key] = true
		case texts[key] != nil:
			*texts[key] = value
		case lists[key] != nil:
			*lists[key] = append(*lists[key], value)
		case numbers[key] != nil:
			*numbers[key], err = strconv.Atoi(value)
		default:
			err = fmt.Errorf("unknown key %q", key)
		}
		if err != nil {
			return r, err
		}
	}
	return r, r.readable(f.Type)
}

// readable reports values in the tag that are not of the field's type.
func (r Rules) readable(t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	texts := []string{r.Minimum, r.Maximum}
	if t.Kind() != reflect.Slice {
		texts = append(texts, r.Default...)
	}
	for _, text := range texts {
		if text == "" {
			continue
		}
		if _, err := valueOf(t, text); err != nil {
			return err
		}
	}
	return nil
}

// Range returns the values that are allowed, as in "1 to 64", "" if that is not limited.
func (r Rules) Range() string {
	limits := ""
	switch {
	case r.Minimum != "" && r.Maximum != "":
		limits = r.Minimum + " to " + r.Maximum
	case r.Minimum != "":
		limits = "at least " + r.Minimum
	case r.Maximum != "":
		limits = "at most " + r.Maximum
	}
	if r.Zero != "" {
		limits = "0 (" + r.Zero + ") or " + limits
	}
	return limits
}

// valueOf reads a value in a tag.
func valueOf(t reflect.Type, text string) (v reflect.Value, err error) {
	into := reflect.New(t)
	switch x := into.Interface().(type) {
	case *metav1.Duration:
		d, ok := filters.ParseDuration(text)
		if x.Duration = d; !ok {
			err = fmt.Errorf("%q is not a duration", text)
		}
	case *Bytes:
		var q resource.Quantity
		q, err = resource.ParseQuantity(text)
		*x = Bytes(q.Value())
	case *time.Time:
		*x, err = time.Parse(time.RFC3339, text)
	case *int:
		*x, err = strconv.Atoi(text)
	case *bool:
		*x, err = strconv.ParseBool(text)
	case *string:
		*x = text
	default:
		err = fmt.Errorf("a %s cannot be written in a tag", t)
	}
	return into.Elem(), err
}

// compare compares two values of a type that [valueOf] reads.
func compare(a, b reflect.Value) int {
	switch x := a.Interface().(type) {
	case metav1.Duration:
		return cmp.Compare(x.Duration, b.Interface().(metav1.Duration).Duration)
	case time.Time:
		return x.Compare(b.Interface().(time.Time))
	}
	return cmp.Compare(a.Int(), b.Int())
}
