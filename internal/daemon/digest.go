package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/informerd/informerd/internal/config"
)

// digests are those of the parts of a configuration. Two configurations have equal digests of the
// parts that mean the same in both, wherever they are written; each field of a part is in its
// digest. What is in files that a configuration names, such as modules, is not.
type digests struct {
	process   string            // of what is not in the others: cluster, addresses, state, times
	informers map[string]string // by field, as in informers.pods or listeners.x.informer
	listeners map[string]string // by name; without their informers, handlers and outputs
	handlers  map[string]string // by the listener's name
	outputs   map[string]string // by name
}

func digestsOf(cfg *config.Config) digests {
	d := digests{informers: map[string]string{}, listeners: map[string]string{},
		handlers: map[string]string{}, outputs: map[string]string{}}
	d.process = digest(processSettings{cfg.Cluster, cfg.HTTP, cfg.Health, cfg.Shutdown, cfg.State,
		cfg.DeadLetters})
	for _, inf := range informersOf(cfg) {
		d.informers[inf.field] = digest(inf.Informer)
	}
	for name, l := range cfg.Listeners {
		d.listeners[name] = digest(listenerSettings(l))
		if l.Handler != nil {
			d.handlers[name] = digest(l.Handler)
		}
	}
	for name, o := range cfg.Outputs {
		d.outputs[name] = digest(o)
	}
	return d
}

// processSettings are the settings of the whole process.
type processSettings struct {
	Cluster     config.Cluster
	HTTP        config.HTTP
	Health      config.Health
	Shutdown    config.Shutdown
	State       config.State
	DeadLetters config.DeadLetters
}

// listenerSettings returns a listener without the parts that have digests of their own. The names
// of its informer and its outputs remain.
func listenerSettings(l *config.Listener) config.Listener {
	own := *l
	own.Handler, own.InformerRef.Inline = nil, nil
	return own
}

// digest returns the SHA-256 of a part's JSON, which has its fields in a fixed order, and no places
// and comments.
func digest(part any) string {
	text, err := json.Marshal(part)
	if err != nil { // raw JSON in a checked configuration is valid
		panic(fmt.Sprintf("daemon: a part of a checked configuration is not JSON: %v", err))
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
