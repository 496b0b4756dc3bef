package daemon

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins"
)

// What authors of handlers try them with is made here, so that it is what the daemon would run.

// Trial is a listener's handler as the daemon would load it, for trying it out.
type Trial struct {
	Spec plugins.Spec
	// Parser reads objects as the listener's informer would.
	Parser *object.Parser
	// Indexes are those of each informer, by name, with the path of the field.
	Indexes map[string]map[string]string
}

// NewTrial gives the handler of a listener, with another module if one is named. Without network,
// the values of headers are not looked for, since nobody gets to see them. The error is a
// config.Errors if the configuration is to blame, and an UnknownListenerError if it has no such
// listener.
func NewTrial(cfg *config.Config, name, module string, network bool) (*Trial, error) {
	l := cfg.Listeners[name]
	if l == nil {
		return nil, &UnknownListenerError{Name: name,
			There: slices.Sorted(maps.Keys(cfg.Listeners))}
	}
	field := "listeners." + name
	if l.Handler == nil {
		return nil, config.Errors{
			cfg.ErrorAt(field, fmt.Sprintf("listener %q has no handler", name), "")}
	}
	b := trialBuilder(cfg, l, field, network)
	if module != "" {
		b.cfg.Handler.Wasm, b.cfg.Handler.SHA256 = module, ""
	}
	spec, err := b.handlerSpec()
	if err != nil {
		b.mistake(".handler.wasm", err)
	}
	parser, err := parserOf(l.Informer())
	if err != nil {
		b.mistake(".informer", err)
	}
	if len(b.mistakes) > 0 {
		return nil, b.mistakes
	}
	t := &Trial{Spec: *spec, Parser: parser, Indexes: map[string]map[string]string{}}
	for name, inf := range l.Informers() {
		t.Indexes[name] = inf.Indexes
	}
	return t, nil
}

// TrialGrants gives grants that stand in no configuration. Headers are as for NewTrial; the paths
// of their files count from the working folder.
func TrialGrants(g config.Grants, network bool) (plugins.Grants, error) {
	l := &config.Listener{Handler: &config.Handler{Grants: g}}
	b := trialBuilder(&config.Config{}, l, "", network)
	granted, ok := b.grants(b.cfg.Handler.Grants)
	if !ok {
		return granted, b.mistakes
	}
	return granted, nil
}

// trialBuilder makes a builder for a listener's handler alone. It keeps no values beyond its end.
func trialBuilder(cfg *config.Config, l *config.Listener, field string, network bool) *builder {
	own, handler := *l, *l.Handler
	own.Handler = &handler
	if !network && handler.Grants.HTTP != nil {
		http := *handler.Grants.HTTP
		http.Headers = withoutValues(http.Headers)
		handler.Grants.HTTP = &http
	}
	return &builder{parts: &parts{}, config: cfg, cfg: &own, log: slog.New(slog.DiscardHandler),
		field: field}
}

// withoutValues puts words in the place of headers' values that stand elsewhere.
func withoutValues(headers map[string]config.HeaderValue) map[string]config.HeaderValue {
	without := make(map[string]config.HeaderValue, len(headers))
	for name, v := range headers {
		switch {
		case v.FromEnv != "":
			v = config.HeaderValue{Text: "(from the environment variable " + v.FromEnv + ")"}
		case v.FromFile != "":
			v = config.HeaderValue{Text: "(from a file)"}
		}
		without[name] = v
	}
	return without
}

// HandlerLimits are those of the configuration, as the host of handlers takes them.
func HandlerLimits(l config.Limits) plugins.Limits {
	return plugins.Limits{
		Memory: int64(l.Memory), Deadline: l.Deadline.Duration, Fuel: int64(l.Fuel),
		Recycle: int64(l.Recycle),
		Module:  int64(l.Module), Load: plugins.LoadLimits{Time: l.Load.Time.Duration,
			Memory: int64(l.Load.Memory)},
	}
}
