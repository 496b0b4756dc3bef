package object

import (
	"encoding/binary"
	"hash/maphash"
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
func (r *reader) readManagedFields(i, depth int) (end int, err error) {
	s := r.text
	r.findBase()
	if i >= len(s) || s[i] != '[' {
		return r.value(s, i, depth)
	}
	if err := checkDepth(i, depth); err != nil {
		return i, err
	}
	i = skipSpace(s, i+1)
	if i < len(s) && s[i] == ']' {
		return i + 1, nil
	}
	for {
		if i < len(s) && s[i] == '{' {
			i, err = r.readManagedFieldsEntry(i, depth+1)
		} else {
			i, err = r.value(s, i, depth+1)
		}
		if err != nil {
			return i, err
		}
		i = skipSpace(s, i)
		if i < len(s) && s[i] == ']' {
			return i + 1, nil
		}
		if i >= len(s) || s[i] != ',' {
			return i, unexpected(s, i, "',' or ']'")
		}
		i = skipSpace(s, i+1)
	}
}

// manager reads the object at i.
func (r *reader) readManagedFieldsEntry(i, depth int) (int, error) {
	s := r.text
	if err := checkDepth(i, depth); err != nil {
		return i, err
	}
	i = skipSpace(s, i+1)
	if i < len(s) && s[i] == '}' {
		return i + 1, nil
	}
	for {
		nameEnd, value, _, err := r.memberName(s, i)
		switch {
		case err != nil:
			return nameEnd, err
		case s[i:nameEnd] == `"fieldsV1"`:
			i, err = r.readFieldsV1(value, depth+1)
		case value < len(s) && s[value] == '"':
			i, err = r.string(s, value)
		default:
			i, err = r.value(s, value, depth+1)
		}
		if err != nil {
			return i, err
		}
		i = skipSpace(s, i)
		if i < len(s) && s[i] == '}' {
			return i + 1, nil
		}
		if i >= len(s) || s[i] != ',' {
			return i, unexpected(s, i, "',' or '}'")
		}
		i = skipSpace(s, i+1)
	}
}

// fieldsV1 reads the value at i.
func (r *reader) readFieldsV1(i, depth int) (end int, err error) {
	s := r.text
	if r.base != nil && depth+maxBaseDepth < maxDepth {
		// The known ones are in the same order; one may be missing.
		if k := r.checkedBefore(i, r.base.fields, len(r.fields)); k >= 0 {
			end = i + r.base.fields[k].len
			r.fields = append(r.fields, span{i, end})
			return end, nil
		}
		if k := r.checkedBefore(i, r.lastFields, len(r.ownFields)); k >= 0 {
			end = i + r.lastFields[k].len
			r.fields, r.ownFields = append(r.fields, span{i, end}),
				append(r.ownFields, r.lastFields[k])
			return end, nil
		}
	}
	end, err = r.value(s, i, depth)
	if err == nil && end-i >= minFields && s[i] == '{' && !r.plain &&
		len(r.fields) < maxFields {
		r.fields = append(r.fields, span{i, end})
		if r.base != nil {
			r.ownFields = append(r.ownFields, checksumOf(s[i:end]))
		}
	}
	return end, err
}

// known returns which of the values that were checked the one at i is, -1 if none. It is most
// probably the next one.
func (r *reader) checkedBefore(i int, values []checksum, next int) int {
	for k := next; k < min(next+2, len(values)); k++ {
		end := i + values[k].len
		if end < len(r.text) && r.text[end-1] == '}' && (r.text[end] == ',' || r.text[end] == '}') &&
			checksumOf(r.text[i:end]) == values[k] {
			return k
		}
	}
	return -1
}

// hashSeed differs from process to process, so that nobody can write texts which collide.
var hashSeed = maphash.MakeSeed()

func checksumOf(text string) checksum { return checksum{len(text), maphash.String(hashSeed, text)} }

// appendFields appends values that were checked, for readFields.
func appendFields(b []byte, values []checksum) []byte {
	for _, v := range values {
		b = binary.AppendUvarint(b, uint64(v.len))
		b = binary.LittleEndian.AppendUint64(b, v.hash)
	}
	return b
}

// readFields appends to values what appendFields has made of them.
func readFields(values []checksum, text string) []checksum {
	for len(text) > 0 {
		length, shift := 0, 0
		for ; text[0] >= 0x80; text, shift = text[1:], shift+7 {
			length |= int(text[0]&0x7f) << shift
		}
		length |= int(text[0]) << shift
		values = append(values, checksum{length, word(text, 1)})
		text = text[9:]
	}
	return values
}
