package lookedup

import "github.com/informerd/informerd/internal/config"

// Kept are the informers whose objects were read, so that several questions read them once. Nil
// keeps nothing.
type Kept struct{ in map[*config.Informer]*In }

// Of returns what is kept of an informer, or else what read returns, which is kept unless it fails.
func (k *Kept) Of(inf *config.Informer, read func() (*In, error)) (*In, error) {
	if k == nil {
		return read()
	}
	if in := k.in[inf]; in != nil {
		return in, nil
	}
	in, err := read()
	if err != nil {
		return nil, err
	}
	if k.in == nil {
		k.in = map[*config.Informer]*In{}
	}
	k.in[inf] = in
	return in, nil
}
