package wasmfile

// Custom is a custom section: what a toolchain left in a module beside its code.
type Custom struct {
	Name    string
	Content []byte // a view of the file
}

// Customs gives the custom sections of a file that Parse takes, without those whose name cannot be read.
func Customs(file []byte) (all []Custom) {
	r := &reader{b: file[8:], at: 8}
	for len(r.b) > 0 {
		id := r.byte()
		s := r.sub(r.u32())
		if r.err != nil {
			return all
		}
		if id != secCustom {
			continue
		}
		if name := s.name(); s.err == nil {
			all = append(all, Custom{name, s.b})
		}
	}
	return all
}

// Producer is a tool that a module was made with.
type Producer struct {
	Field   string // language, processed-by or sdk
	Name    string
	Version string
}

// maxProducers is how many of them are read.
const maxProducers = 100

// Producers reads the content of the custom section "producers". What cannot be read ends it.
func Producers(content []byte) (all []Producer) {
	r := &reader{b: content}
	for range r.count(2) {
		field := r.name()
		for range r.count(2) {
			p := Producer{Field: field, Name: r.name(), Version: r.name()}
			if r.err != nil || len(all) == maxProducers {
				return all
			}
			all = append(all, p)
		}
	}
	return all
}
