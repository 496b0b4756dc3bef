package meter

import (
	"strings"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// Subsections of the "name" section that number functions.
const (
	functionNames = 1
	localNames    = 2
	labelNames    = 3
)

// custom copies a custom section, nil if it is left out: one that has offsets in the code would
// be wrong, and so would be names of functions that cannot be read.
func (m *module) custom(s section) ([]byte, error) {
	r := s.Reader(m.file)
	name := r.Name()
	switch {
	case r.Err != nil:
		return nil, r.Err
	case strings.HasPrefix(name, ".debug_"), strings.HasPrefix(name, "reloc."),
		strings.HasPrefix(name, "metadata.code."):
		return nil, nil
	case name == "name":
		return m.names(r), nil
	}
	return r.File[s.At:s.End], nil
}

func (m *module) names(r *reader) []byte {
	out := wasmbin.AppendName(nil, "name")
	for r.More() {
		id := r.Byte()
		sub := r.Sub(r.U32())
		content := sub.File[sub.Pos:sub.End]
		switch id {
		case functionNames:
			content = m.functionNames(sub)
		case localNames, labelNames:
			content = m.localNames(sub)
		}
		if r.Err != nil || sub.Err != nil {
			return nil
		}
		out = wasmbin.AppendSection(out, id, content)
	}
	return out
}

// functionNames copies the names of functions, and adds those of the new ones.
func (m *module) functionNames(r *reader) []byte {
	n := r.Count(1)
	out := make([]byte, 0, r.End-r.Pos+100)
	visit := wasmbin.AppendName(wasmbin.AppendUint(nil, m.imported), "meter."+visitName)
	count := n
	for range n {
		f := r.Below(m.funcs, "function")
		if f >= m.imported && visit != nil {
			out, visit = append(out, visit...), nil
			count++
		}
		out = wasmbin.AppendName(wasmbin.AppendUint(out, m.moved(f)), oneLine(r.Name()))
		if r.Err != nil {
			return nil
		}
	}
	if visit != nil {
		out = append(out, visit...)
		count++
	}
	for h := range helper(m.helperCount()) {
		out = wasmbin.AppendName(wasmbin.AppendUint(out, m.funcs+1+uint32(h)), helperNames[h])
		count++
	}
	if r.More() {
		r.Fail("%v", wasmbin.ErrEnd)
	}
	return append(wasmbin.AppendUint(nil, count), out...)
}

// oneLine leaves no line breaks and the like in a name: the engine writes one function a line when
// it says where a trap was.
func oneLine(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return '?'
		}
		return r
	}, name)
}

// localNames copies names that are in a list for each function.
func (m *module) localNames(r *reader) []byte {
	n := r.Count(1)
	out := wasmbin.AppendUint(nil, n)
	for range n {
		out = m.funcIndex(r, out)
		start := r.Pos
		for range r.Count(1) {
			r.U32()
			r.Name()
			if r.Err != nil {
				return nil
			}
		}
		out = append(out, r.File[start:r.Pos]...)
	}
	if r.More() {
		r.Fail("%v", wasmbin.ErrEnd)
	}
	return out
}

// functionName finds a function's name, "" if there is none.
func (m *module) functionName(f uint32) string {
	for _, s := range m.customs {
		r := s.Reader(m.file)
		if r.Name() != "name" {
			continue
		}
		for r.More() {
			id := r.Byte()
			sub := r.Sub(r.U32())
			if id != functionNames {
				continue
			}
			for range sub.Count(1) {
				index, name := sub.U32(), sub.Name()
				if sub.Err == nil && index == f {
					return name
				}
				if sub.Err != nil {
					return ""
				}
			}
		}
	}
	return ""
}
