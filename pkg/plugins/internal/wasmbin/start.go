package wasmbin

// startName is what the start function is exported as, or begins with if the guest has such an
// export itself.
const startName = "start function"

// startOf returns the index of the start function.
func startOf(file []byte, sections []Section) (index uint32, ok bool) {
	for _, s := range sections {
		if s.ID == SectionStart {
			r := s.Reader(file)
			index = r.U32()
			return index, r.Err == nil
		}
	}
	return 0, false
}

// exportStart returns the export section with the start function in it. It is nil if there is
// nothing to export: a start function that is missing, imported or of the wrong type stays what it
// is.
func (p *parser) exportStart(content []byte, index uint32) []byte {
	t, ok := p.m.FuncType(index)
	if !ok || index < p.importedFuncs() || len(t.Params)+len(t.Results) > 0 {
		return nil
	}
	name := startName
	for _, taken := p.m.Export(name); taken; _, taken = p.m.Export(name) {
		name += "'"
	}
	p.m.Start = name
	r := Reader{File: content, End: len(content)}
	out := AppendUint(nil, r.U32()+1)
	out = AppendName(append(out, r.Rest()...), name)
	return AppendSection(nil, SectionExport,
		AppendUint(append(out, byte(KindFunc)), index))
}

func (p *parser) importedFuncs() (n uint32) {
	for _, i := range p.m.Imports {
		if i.Kind == KindFunc {
			n++
		}
	}
	return n
}
