package plan

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/informerd/informerd/internal/config"
)

// digests are those of the parts of a configuration. Two configurations have equal digests of the
// parts that mean the same in both, wherever they are written; each field of a part is in its
// digest. What is in files that a configuration names, such as modules, is not.
type digests struct {
	Process      string            // of what is not in the others: cluster, addresses, state, times
	Clusters     map[string]string // by name
	ClustersFrom string
	Informers    map[string]string // by field, as in informers.pods or listeners.x.informer
	Listeners    map[string]string // by name; without their informers, handlers and outputs
	Handlers     map[string]string // by the listener's name
	Outputs      map[string]string // by name
}

func digestsOf(cfg *config.Config) digests {
	d := digests{Clusters: map[string]string{}, ClustersFrom: Digest(cfg.ClustersFrom), Informers: map[string]string{}, Listeners: map[string]string{},
		Handlers: map[string]string{}, Outputs: map[string]string{},
		Process: Digest([]any{cfg.Cluster, cfg.HTTP, cfg.Health, cfg.Shutdown, cfg.State,
			cfg.LeaderElection, cfg.Sharding, cfg.Tracing, cfg.DeadLetters})}
	for name, m := range cfg.Clusters {
		d.Clusters[name] = Digest(m)
	}
	for _, inf := range InformersOf(cfg) {
		d.Informers[inf.Field] = Digest(inf.Informer.InOrder())
	}
	for name, l := range cfg.Listeners {
		own := *l // without the parts that have digests of their own; their names remain
		own.Handler, own.InformerRef.Inline = nil, nil
		d.Listeners[name] = Digest(own)
		if l.Handler != nil {
			d.Handlers[name] = Digest(l.Handler)
		}
	}
	for name, o := range cfg.Outputs {
		d.Outputs[name] = Digest(o)
	}
	return d
}

// Digest returns the SHA-256 of a part's JSON, which has its fields in a fixed order, and no places
// and comments.
func Digest(part any) string {
	text, err := json.Marshal(part)
	if err != nil { // raw JSON in a checked configuration is valid
		panic(fmt.Sprintf("plan: a part of a checked configuration is not JSON: %v", err))
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}
