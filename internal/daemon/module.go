package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/informerd/informerd/internal/handlers"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/pkg/plugins"
)

// module is a listener's handler.
type module struct {
	digest  string           // of everything it is loaded from
	spec    *plugins.Spec    // nil once it is loaded
	handler *plugins.Handler // nil until it is loaded
}

// newModule reads and checks a listener's module, unless that of the setup before is the same, and
// loads it unless that is done later.
func (r *runtime) newModule(ctx context.Context, s, before *setup, reader *handlers.Reader,
	later bool) error {
	spec, err := reader.Spec()
	if spec == nil {
		return err
	}
	if r.dryRun {
		withoutEffects(spec)
	}
	s.module = &module{digest: specDigest(spec), spec: spec}
	if before != nil && before.module != nil && before.module.handler != nil &&
		before.module.digest == s.module.digest &&
		(before.caches == s.caches || len(plan.GrantedInformers(s.Config)) == 0) {
		s.module = before.module
		return nil
	}
	if later {
		return r.host.Check(*spec)
	}
	return s.module.load(ctx, r.host)
}

// load loads the module.
func (m *module) load(ctx context.Context, host *plugins.Host) (err error) {
	if m.handler, err = host.Load(ctx, *m.spec); err == nil {
		m.spec = nil // and with it the module's bytes
	}
	return err
}

// specDigest returns the SHA-256 of everything that a handler is loaded from: the content of its
// file, its configuration, its limits and its rights with the values of headers.
func specDigest(s *plugins.Spec) string {
	grants := s.Grants
	var headers map[string]string
	if grants.HTTP != nil {
		http := *grants.HTTP
		headers, http.Headers, http.Transport = http.Headers, nil, nil
		grants.HTTP = &http
	}
	text, err := json.Marshal(struct {
		Path    string
		Wasm    string
		Config  json.RawMessage
		Grants  plugins.Grants
		Headers map[string]string
		Limits  plugins.Limits
	}{s.Path, fmt.Sprintf("%x", sha256.Sum256(s.Wasm)), s.Config, grants, headers, s.Limits})
	if err != nil { // raw JSON in a checked configuration is valid
		panic(fmt.Sprintf("daemon: a handler's settings are not JSON: %v", err))
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}
