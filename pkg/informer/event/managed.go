package event

import "hash/maphash"

// This file reads metadata.managedFields where it is cut out. It is a third and more of what an API server sends, and
// nearly all of that are values of fieldsV1, which stay the same from state to state, and from replica to replica. A base
// has the length and a hash of those of its object: a value that has both is the same, and as right as that was. The hash
// has 64 bits and a random seed, so nobody can make another one for it.

// maxFields is how many such values are remembered of an object.
const maxFields = 16

// managedFields reads the value at i.
func (r *reading) managedFields(i, depth int) (end int, err error) {
	s := r.s
	r.pick()
	if i >= len(s) || s[i] != '[' {
		return r.value(s, i, depth)
	}
	if err := tooDeep(i, depth); err != nil {
		return i, err
	}
	i = skipSpace(s, i+1)
	if i < len(s) && s[i] == ']' {
		return i + 1, nil
	}
	for {
		if i < len(s) && s[i] == '{' {
			i, err = r.manager(i, depth+1)
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
			return i, syntaxErr(s, i, "',' or ']'")
		}
		i = skipSpace(s, i+1)
	}
}

// manager reads the object at i.
func (r *reading) manager(i, depth int) (int, error) {
	s := r.s
	if err := tooDeep(i, depth); err != nil {
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
			i, err = r.fieldsV1(value, depth+1)
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
			return i, syntaxErr(s, i, "',' or '}'")
		}
		i = skipSpace(s, i+1)
	}
}

// fieldsV1 reads the value at i.
func (r *reading) fieldsV1(i, depth int) (end int, err error) {
	s := r.s
	if r.base != nil && depth+maxBaseDepth < maxDepth {
		// Those of the base are in the same order; one may be missing.
		for next := len(r.fields); next < min(len(r.fields)+2, len(r.base.fields)); next++ {
			known := r.base.fields[next]
			if end := i + known.len; end <= len(s) && s[end-1] == '}' && maphash.String(nameSeed, s[i:end]) == known.hash {
				r.fields = append(r.fields, span{i, end})
				return end, nil
			}
		}
	}
	if end, err = r.value(s, i, depth); err == nil && end-i >= minFields && s[i] == '{' && !r.parser.Plain && len(r.fields) < maxFields {
		r.fields = append(r.fields, span{i, end})
	}
	return end, err
}
