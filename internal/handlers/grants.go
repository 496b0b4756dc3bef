package handlers

import (
	"fmt"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/pkg/plugins"
)

// Grants returns the rights that a listener's handler has in the configuration. Mistakes are
// reported at their places; then the rights must not be used.
func (r *Reader) Grants(g config.Grants) (granted plugins.Grants, ok bool) {
	granted, ok = g.Host(), true
	if granted.KV != nil {
		granted.KV.Persist = granted.KV.Persist && r.Persist
	}
	if granted.HTTP != nil {
		granted.HTTP.Headers, ok = r.headers(g.HTTP.Headers)
	}
	return granted, ok
}

// headers returns the values of headers.
func (r *Reader) headers(wanted map[string]config.Value) (found map[string]string,
	ok bool) {
	if len(wanted) == 0 {
		return nil, true
	}
	found, ok = make(map[string]string, len(wanted)), true
	for name, value := range wanted {
		text, from, err := headerValue(r.Config, value)
		if err != nil {
			field := ".handler.grants.http.headers." + name
			r.Mistake(field+from, fmt.Errorf("%s%s%s: %w", r.Field, field, from, err))
			ok = false
		}
		found[name] = text
	}
	return found, ok
}

// headerValue returns the value of one header, and the field that says where it is. Its errors do
// not show the value.
func headerValue(cfg *config.Config, v config.Value) (text, from string, err error) {
	value := secret.Literal(v.Text)
	switch {
	case v.FromEnv != "":
		value, from = secret.FromEnv(v.FromEnv), ".fromEnv"
	case v.FromFile != "":
		value, from = secret.FromFile(cfg.Path(v.FromFile)), ".fromFile"
	}
	text, err = value.Header()
	return text, from, err
}
