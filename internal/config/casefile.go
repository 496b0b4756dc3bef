package config

import (
	"github.com/informerd/informerd/internal/config/document"
)

// Document is a file of another kind than those of this package, read as strictly: a case of a
// handler's tests. Its reader adds what else is wrong with it.
type Document struct{ *document.File }

// ReadDocument puts a text into a pointer to a struct whose fields have json tags. Noun is what the
// file is called in errors. The error is an [Errors] about a text that could not be read to its
// end; other mistakes are in Err.
func ReadDocument(noun, file string, data []byte, into any) (*Document, error) {
	f, err := document.Read(newKind(noun, ""), file, data, into)
	if err != nil {
		return nil, err
	}
	return &Document{f}, nil
}

// CheckHandler fills in the defaults of a handler's grants and limits, which are in the mapping at
// path, and checks them as in a configuration. Which informers there are is not known here.
func (d *Document) CheckHandler(g *Grants, l *Limits, path string) {
	d.CheckGrants(g, document.Join(path, "grants"))
	d.Check(l, document.Join(path, "limits"))
}

// CheckGrants fills in the defaults of grants and checks them.
func (d *Document) CheckGrants(g *Grants, path string) {
	d.SetFailed("informers")
	d.Check(g, path)
	checkGrants(&Config{State: State{Dir: "."}}, g, path, d.Report)
}

// CheckLimits fills in the defaults of limits and checks them.
func (d *Document) CheckLimits(l *Limits, path string) { d.Check(l, path) }
