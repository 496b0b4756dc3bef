package author

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/handlers"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins"
)

// Setup selects the module that is run, and how it is set up: by itself, or as a listener of a
// configuration.
type Setup struct {
	Module string // its file; may be empty if Listener is set
	// HandlerConfig, Grants and Limits are each a file, or text in braces. Limits may also be as in
	// memory=32Mi,deadline=1s.
	HandlerConfig, Grants, Limits string
	// Configuration is a configuration's file, and Listener the name of a listener in it.
	Configuration, Listener string
	// Caches are objects for the caches of informers, as in NAME=FILE.
	Caches []string
	// Network: requests are made.
	Network bool
}

// prepared is a module that is ready to be loaded.
type prepared struct {
	spec    plugins.Spec
	parser  *object.Parser
	setting setting
}

func (s Setup) check() error {
	switch standalone := s.HandlerConfig + s.Grants + s.Limits; {
	case s.Configuration == "" && s.Listener != "":
		return usage("--listener needs --config: it is the name of a listener in a configuration")
	case s.Configuration != "" && s.Listener == "":
		return usage("--config needs --listener: a configuration may have several handlers")
	case s.Configuration != "" && standalone != "":
		return usage("--handler-config, --grants and --limits have no effect with --config: the listener has its own")
	case s.Configuration == "" && s.Module == "":
		return usage("which module? Name its file")
	}
	return nil
}

func (s Setup) prepare() (p prepared, err error) {
	all := caches{}
	if s.Configuration != "" {
		p, err = s.ofListener(all)
	} else {
		p, err = s.standalone()
	}
	if err != nil {
		return p, err
	}
	p.spec.Caches = all
	if !s.Network {
		p.setting.web = &web{}
	}
	for _, text := range s.Caches {
		name, file, ok := strings.Cut(text, "=")
		if !ok || name == "" || file == "" {
			return p, usage("--cache %q: write it as NAME=FILE", text)
		}
		given, err := readEvents([]string{file}, nil, p.parser)
		if err != nil {
			return p, err
		}
		for _, e := range given {
			if err := all.cache(name).add(e.Object); err != nil {
				return p, config.Errors{{File: e.file, Line: e.line, Message: err.Error()}}
			}
		}
	}
	return p, nil
}

// standalone prepares a module that is not in a configuration.
func (s Setup) standalone() (p prepared, err error) {
	p.parser = &object.Parser{}
	p.spec = plugins.Spec{Listener: trialName, Path: s.Module}
	if p.spec.Wasm, err = readModule(s.Module); err != nil {
		return p, err
	}
	if s.HandlerConfig != "" {
		var text json.RawMessage
		if _, err := readSetting("handler's configuration", s.HandlerConfig, &text,
			nil); err != nil {
			return p, err
		}
		p.spec.Config = text
	}
	var grants config.Grants
	if s.Grants != "" {
		check := func(d *config.Document) { d.CheckGrants(&grants, "") }
		if _, err := readSetting("grants", s.Grants, &grants, check); err != nil {
			return p, err
		}
	}
	if p.spec.Grants, err = handlers.TrialGrants(grants, s.Network); err != nil {
		return p, err
	}
	var limits config.Limits
	text := cmp.Or(s.Limits, "{}") // the configuration's defaults
	if !strings.HasPrefix(text, "{") && strings.Contains(text, "=") {
		text = "{" + strings.ReplaceAll(text, "=", ": ") + "}"
	}
	check := func(d *config.Document) { d.CheckLimits(&limits, "") }
	if _, err := readSetting("limits", text, &limits, check); err != nil {
		return p, err
	}
	p.spec.Limits = handlers.LimitsOf(limits)
	return p, nil
}

// trialName is the listener's name of a module that is not in a configuration.
const trialName = "trial"

// readSetting reads the value of a flag, a file or a text, as strictly as a configuration.
func readSetting(noun, value string, into any, check func(*config.Document)) (*config.Document,
	error) {
	file, data, err := readOrText(value)
	if err != nil {
		return nil, err
	}
	if file == "" {
		file = noun
	}
	d, err := config.ReadDocument(noun, file, data, into)
	if err != nil {
		return nil, err
	}
	if check != nil {
		check(d)
	}
	return d, d.Err()
}

// ofListener prepares a listener's handler.
func (s Setup) ofListener(all caches) (p prepared, err error) {
	cfg, err := config.Load(s.Configuration)
	if err != nil {
		return p, err
	}
	module := s.Module
	if module != "" {
		if module, err = filepath.Abs(module); err != nil {
			return p, err
		}
	}
	trial, err := handlers.NewTrial(cfg, s.Listener, module, s.Network)
	if err != nil {
		return p, err
	}
	for name, indexes := range trial.Indexes {
		for index, path := range indexes {
			if err := all.cache(name).index(index, path); err != nil {
				return p, err
			}
		}
	}
	p.spec, p.parser = trial.Spec, trial.Parser
	return p, nil
}
