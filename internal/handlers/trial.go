package handlers

import (
	"fmt"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins"
)

// Trial returns the handler of a listener, which must be there, as the daemon would load it, with
// another module if one is named, and the parser that reads objects as the listener's informer
// would. The values of headers are not read, since no request has them. The error is a
// config.Errors if the configuration is to blame.
func Trial(cfg *config.Config, name, module string) (spec plugins.Spec, parser *object.Parser,
	err error) {
	l := cfg.Listeners[name]
	if l.Handler == nil {
		return spec, nil, config.Errors{
			cfg.ErrorAt("listeners."+name, fmt.Sprintf("listener %q has no handler", name), "")}
	}
	r := trialReader(cfg, l)
	if module != "" {
		r.Listener.Handler.Wasm, r.Listener.Handler.SHA256 = module, ""
	}
	read, err := r.Spec()
	if err != nil {
		r.Mistake(".handler.wasm", err)
	}
	if parser, err = plan.ParserOf(l.Informer()); err != nil {
		r.Mistake(".informer", err)
	}
	if len(r.Mistakes) > 0 {
		return spec, nil, r.Mistakes
	}
	return *read, parser, nil
}

// TrialGrants returns grants that are not part of a configuration. Headers are as for Trial; the
// paths of their files are relative to the working directory.
func TrialGrants(g config.Grants) (plugins.Grants, error) {
	r := trialReader(&config.Config{}, &config.Listener{Handler: &config.Handler{Grants: g}})
	r.Field = ""
	granted, ok := r.Grants(r.Listener.Handler.Grants)
	if !ok {
		return granted, r.Mistakes
	}
	return granted, nil
}

// trialReader returns a reader of a listener's handler. The handler keeps no values beyond its end.
func trialReader(cfg *config.Config, l *config.Listener) *Reader {
	listener, handler := *l, *l.Handler
	listener.Handler = &handler
	if handler.Grants.HTTP != nil {
		http := *handler.Grants.HTTP
		http.Headers = withoutValues(http.Headers)
		handler.Grants.HTTP = &http
	}
	return &Reader{Section: plan.SectionOf(cfg, &listener)}
}

// withoutValues replaces values of headers that are read from elsewhere by a description.
func withoutValues(headers map[string]config.Value) map[string]config.Value {
	without := make(map[string]config.Value, len(headers))
	for name, v := range headers {
		switch {
		case v.FromEnv != "":
			v = config.Value{Text: "(from the environment variable " + v.FromEnv + ")"}
		case v.FromFile != "":
			v = config.Value{Text: "(from a file)"}
		}
		without[name] = v
	}
	return without
}
