package reader

import (
	"encoding/binary"
	"hash/maphash"

	"github.com/informerd/informerd/pkg/informer/object/internal/align"
	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

// This file reads metadata.managedFields where it is cut out. It is a third and more of what an API
// server sends. Nearly all of it are values of fieldsV1, which stay the same from state to state
// and from replica to replica. A base has the checksums of those of its object, and a packed object
// the checksums of those that its base does not have. A value with a known checksum was checked
// before, so it is skipped.

// maxFields is the number of fieldsV1 values of an object whose checksums are remembered.
const maxFields = 16

// readManagedFields reads the value of managedFields at i.
func (r *Reader) readManagedFields(i, depth int) (end int, err error) {
	s := r.Text
	r.findBase()
	if i >= len(s) || s[i] != '[' {
		return r.Value(s, i, depth)
	}
	if err := scan.CheckDepth(i, depth); err != nil {
		return i, err
	}
	i = jsontext.SkipSpace(s, i+1)
	if i < len(s) && s[i] == ']' {
		return i + 1, nil
	}
	for {
		if i < len(s) && s[i] == '{' {
			i, err = r.readManagedFieldsEntry(i, depth+1)
		} else {
			i, err = r.Value(s, i, depth+1)
		}
		if err != nil {
			return i, err
		}
		i = jsontext.SkipSpace(s, i)
		if i < len(s) && s[i] == ']' {
			return i + 1, nil
		}
		if i >= len(s) || s[i] != ',' {
			return i, scan.Unexpected(s, i, "',' or ']'")
		}
		i = jsontext.SkipSpace(s, i+1)
	}
}

// readManagedFieldsEntry reads the object of one manager at i.
func (r *Reader) readManagedFieldsEntry(i, depth int) (int, error) {
	s := r.Text
	if err := scan.CheckDepth(i, depth); err != nil {
		return i, err
	}
	i = jsontext.SkipSpace(s, i+1)
	if i < len(s) && s[i] == '}' {
		return i + 1, nil
	}
	for {
		nameEnd, value, _, err := r.MemberName(s, i)
		switch {
		case err != nil:
			return nameEnd, err
		case s[i:nameEnd] == `"fieldsV1"`:
			i, err = r.readFieldsV1(value, depth+1)
		case value < len(s) && s[value] == '"':
			i, err = r.String(s, value)
		default:
			i, err = r.Value(s, value, depth+1)
		}
		if err != nil {
			return i, err
		}
		i = jsontext.SkipSpace(s, i)
		if i < len(s) && s[i] == '}' {
			return i + 1, nil
		}
		if i >= len(s) || s[i] != ',' {
			return i, scan.Unexpected(s, i, "',' or '}'")
		}
		i = jsontext.SkipSpace(s, i+1)
	}
}

// readFieldsV1 reads the value of fieldsV1 at i.
func (r *Reader) readFieldsV1(i, depth int) (end int, err error) {
	s := r.Text
	if r.Base != nil && depth+align.MaxBaseDepth < scan.MaxDepth {
		// Known values come in the same order; one may be missing.
		if k := r.checkedBefore(i, r.Base.Fields, len(r.fields)); k >= 0 {
			end = i + r.Base.Fields[k].Len
			r.fields = append(r.fields, Span{i, end})
			return end, nil
		}
		if k := r.checkedBefore(i, r.lastFields, len(r.OwnFields)); k >= 0 {
			end = i + r.lastFields[k].Len
			r.fields, r.OwnFields = append(r.fields, Span{i, end}),
				append(r.OwnFields, r.lastFields[k])
			return end, nil
		}
	}
	end, err = r.Value(s, i, depth)
	if err == nil && end-i >= align.MinFields && s[i] == '{' && !r.Plain &&
		len(r.fields) < maxFields {
		r.fields = append(r.fields, Span{i, end})
		if r.Base != nil {
			r.OwnFields = append(r.OwnFields, checksum(s[i:end]))
		}
	}
	return end, err
}

// checkedBefore returns the index of the value at i among those with known checksums, -1 if it is
// none of them. next is the index that it most probably has.
func (r *Reader) checkedBefore(i int, values []align.Checksum, next int) int {
	for k := next; k < min(next+2, len(values)); k++ {
		end := i + values[k].Len
		if end < len(r.Text) && r.Text[end-1] == '}' &&
			(r.Text[end] == ',' || r.Text[end] == '}') &&
			checksum(r.Text[i:end]) == values[k] {
			return k
		}
	}
	return -1
}

// hashSeed differs from process to process, so that nobody can write texts that collide.
var hashSeed = maphash.MakeSeed()

func checksum(text string) align.Checksum {
	return align.Checksum{Len: len(text), Hash: maphash.String(hashSeed, text)}
}

// AppendFields appends checksums in the form that a packed object has them in.
func AppendFields(b []byte, values []align.Checksum) []byte {
	for _, v := range values {
		b = binary.AppendUvarint(b, uint64(v.Len))
		b = binary.LittleEndian.AppendUint64(b, v.Hash)
	}
	return b
}

// readFields appends to values the checksums that AppendFields has written.
func readFields(values []align.Checksum, text string) []align.Checksum {
	for len(text) > 0 {
		length, shift := 0, 0
		for ; text[0] >= 0x80; text, shift = text[1:], shift+7 {
			length |= int(text[0]&0x7f) << shift
		}
		length |= int(text[0]) << shift
		values = append(values, align.Checksum{Len: length, Hash: jsontext.Word(text, 1)})
		text = text[9:]
	}
	return values
}
