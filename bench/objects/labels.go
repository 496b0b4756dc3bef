package objects

import (
	"bytes"
	"fmt"
)

// label is a label or an annotation.
type label struct{ key, value string }

// writeLabels writes labels as an object. They must be sorted by key.
func writeLabels(b *bytes.Buffer, all []label) {
	b.WriteByte('{')
	for i, l := range all {
		comma(b, i)
		fmt.Fprintf(b, `%q:%q`, l.key, l.value)
	}
	b.WriteByte('}')
}

// writeManagedLabels writes the managedFields of labels.
func writeManagedLabels(b *bytes.Buffer, all []label) {
	b.WriteString(`{".":{}`)
	for _, l := range all {
		fmt.Fprintf(b, `,"f:%s":{}`, l.key)
	}
	b.WriteByte('}')
}
