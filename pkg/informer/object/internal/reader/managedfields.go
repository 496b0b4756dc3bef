package reader

import (
	"encoding/binary"
	"hash/maphash"

	"github.com/informerd/informerd/pkg/informer/object/internal/align"
	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

// This file reads metadata.managedFields where it is cut out. It is a third and more of what an API
// server sends, and nearly all of that are values of fieldsV1, which stay the same from state to
// state, and from replica to replica. A base has the length and a hash of those of its object, and
// a packed object of those that are its own, as they name it: a value that has both is the same,
// and as right as that was. The hash has 64 bits and a random seed, so nobody can make another one
// for it.

// maxFields is how many such values are remembered of an object.
const maxFields = 16

// managedFields reads the value at i.
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

// manager reads the object at i.
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

// fieldsV1 reads the value at i.
func (r *Reader) readFieldsV1(i, depth int) (end int, err error) {
	s := r.Text
	if r.Base != nil && depth+align.MaxBaseDepth < scan.MaxDepth {
		// The known ones are in the same order; one may be missing.
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
			r.OwnFields = append(r.OwnFields, checksumOf(s[i:end]))
		}
	}
	return end, err
}

// known returns which of the values that were checked the one at i is, -1 if none. It is most
// probably the next one.
func (r *Reader) checkedBefore(i int, values []align.Checksum, next int) int {
	for k := next; k < min(next+2, len(values)); k++ {
		end := i + values[k].Len
		if end < len(r.Text) && r.Text[end-1] == '}' &&
			(r.Text[end] == ',' || r.Text[end] == '}') &&
			checksumOf(r.Text[i:end]) == values[k] {
			return k
		}
	}
	return -1
}

// hashSeed differs from process to process, so that nobody can write texts which collide.
var hashSeed = maphash.MakeSeed()

func checksumOf(text string) align.Checksum {
	return align.Checksum{Len: len(text), Hash: maphash.String(hashSeed, text)}
}

// appendFields appends values that were checked, for readFields.
func AppendFields(b []byte, values []align.Checksum) []byte {
	for _, v := range values {
		b = binary.AppendUvarint(b, uint64(v.Len))
		b = binary.LittleEndian.AppendUint64(b, v.Hash)
	}
	return b
}

// readFields appends to values what appendFields has made of them.
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
