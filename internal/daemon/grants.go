package daemon

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/pkg/plugins"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// grants gives a listener's handler the rights of the configuration. What is wrong is reported
// where it stands; then they are not to be used.
func (b *builder) grants(g config.Grants) (granted plugins.Grants, ok bool) {
	if g.Log != nil {
		granted.Log = &plugins.LogGrant{LinesPerSecond: g.Log.Rate}
		if err := granted.Log.Level.UnmarshalText([]byte(g.Log.Level)); err != nil {
			b.mistake(".handler.grants.log.level", err)
			return granted, false
		}
	}
	if g.KV != nil {
		granted.KV = &plugins.KVGrant{
			Keys: g.KV.Keys, Bytes: int64(g.KV.Bytes), TTL: g.KV.TTL.Duration,
			Persist: g.KV.Persist && b.parts.persist,
		}
	}
	if g.Clock != nil {
		granted.Clock = &plugins.ClockGrant{Fixed: g.Clock.Fixed}
	}
	if g.Random != nil {
		granted.Random = &plugins.RandomGrant{}
		if g.Random.Seed != nil {
			seed := uint64(*g.Random.Seed)
			granted.Random.Seed = &seed
		}
	}
	if g.Emit != nil {
		granted.Emit = emitGrant(g.Emit)
	}
	if g.Cache != nil {
		granted.Cache = &plugins.CacheGrant{
			Informers: g.Cache.Informers, Namespaces: g.Cache.Namespaces,
			MaxItems: g.Cache.MaxItems, MaxBytes: int64(g.Cache.MaxBytes),
		}
	}
	if g.HTTP == nil {
		return granted, true
	}
	granted.HTTP = &plugins.HTTPGrant{
		Allow: g.HTTP.Allow, Methods: g.HTTP.Methods, MaxRequest: int64(g.HTTP.MaxRequest),
		MaxResponse: int64(g.HTTP.MaxResponse),
		Timeout:     g.HTTP.Timeout.Duration, PerEvent: g.HTTP.PerEvent, Private: g.HTTP.Private,
	}
	granted.HTTP.Headers, ok = b.headers(g.HTTP.Headers)
	return granted, ok
}

// emitGrant makes the grant of one that was checked.
func emitGrant(g *config.EmitGrant) *plugins.EmitGrant {
	// no kinds are none
	granted := &plugins.EmitGrant{Kinds: []abi.EmitKind{}, Types: g.Types, Count: g.Count,
		Bytes: int64(g.Bytes)}
	for _, kind := range []abi.EmitKind{abi.EmitEvent, abi.EmitData} {
		if slices.Contains(g.Kinds, kind.String()) {
			granted.Kinds = append(granted.Kinds, kind)
		}
	}
	return granted
}

// headers finds the values of headers.
func (b *builder) headers(wanted map[string]config.HeaderValue) (found map[string]string, ok bool) {
	if len(wanted) == 0 {
		return nil, true
	}
	found, ok = make(map[string]string, len(wanted)), true
	for name, value := range wanted {
		text, from, err := headerValue(b.config, value)
		if err != nil {
			field := ".handler.grants.http.headers." + name
			b.mistake(field+from, fmt.Errorf("%s%s%s: %w", b.field, field, from, err))
			ok = false
		}
		found[name] = text
	}
	return found, ok
}

// headerValue finds the value of one header, and says what member tells where it is. Its errors do
// not show the value.
func headerValue(cfg *config.Config, v config.HeaderValue) (text, from string, err error) {
	switch {
	case v.FromEnv != "":
		text, from = os.Getenv(v.FromEnv), ".fromEnv"
		if text == "" {
			return "", from, fmt.Errorf("the environment variable %s is not set, or empty",
				v.FromEnv)
		}
	case v.FromFile != "":
		from = ".fromFile"
		if text, err = headerFile(cfg.Path(v.FromFile)); err != nil {
			return "", from, err
		}
	default:
		text = v.Text
	}
	if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
		return "", from, errors.New("the value has a control character in it, such as a line break")
	}
	return text, from, nil
}

// maxHeader is how long the value of a header may be.
const maxHeader = 16 << 10

func headerFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("the file %s cannot be read: %s", path, withoutPath(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxHeader+1))
	text := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	switch {
	case err != nil:
		return "", fmt.Errorf("the file %s cannot be read: %s", path, withoutPath(err))
	case len(data) > maxHeader:
		return "", fmt.Errorf("the file %s has more than %d bytes", path, maxHeader)
	case text == "":
		return "", fmt.Errorf("the file %s is empty", path)
	}
	return text, nil
}

// withoutPath is an error of the file system without the path.
func withoutPath(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// grantedInformers are those whose caches the listener's handler may read.
func grantedInformers(l *config.Listener) []string {
	if l.Handler == nil || l.Handler.Grants.Cache == nil {
		return nil
	}
	return l.Handler.Grants.Cache.Informers
}

// lookups are the informers that the listener looks objects up in, by the names they have there: by
// its expressions or by its handler.
func (l *listener) lookups() []string {
	names := append(lookups(l.expressions), grantedInformers(l.cfg)...)
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// lookedUpBy says what of the listener looks objects up in an informer.
func (l *listener) lookedUpBy(name string) string {
	if slices.Contains(lookups(l.expressions), name) {
		return "its expressions look"
	}
	return "its handler looks"
}
