package daemon

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/pkg/plugins"
)

// grants returns the rights that a listener's handler has in the configuration. Mistakes are
// reported at their places; then the rights must not be used.
func (r *handlerReader) grants(g config.Grants) (granted plugins.Grants, ok bool) {
	granted, ok = g.Host(), true
	if granted.KV != nil {
		granted.KV.Persist = granted.KV.Persist && r.persist
	}
	if granted.HTTP != nil {
		granted.HTTP.Headers, ok = r.headers(g.HTTP.Headers)
	}
	return granted, ok
}

// headers returns the values of headers.
func (r *handlerReader) headers(wanted map[string]config.HeaderValue) (found map[string]string,
	ok bool) {
	if len(wanted) == 0 {
		return nil, true
	}
	found, ok = make(map[string]string, len(wanted)), true
	for name, value := range wanted {
		text, from, err := headerValue(r.config, value)
		if err != nil {
			field := ".handler.grants.http.headers." + name
			r.mistake(field+from, fmt.Errorf("%s%s%s: %w", r.field, field, from, err))
			ok = false
		}
		found[name] = text
	}
	return found, ok
}

// headerValue returns the value of one header, and the field that says where it is. Its errors do
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

// maxHeader bounds the length of a header's value.
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

// withoutPath returns the text of a file system's error without the path.
func withoutPath(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// grantedInformers returns the informers whose caches the listener's handler may read.
func grantedInformers(l *config.Listener) []string {
	if l.Handler == nil || l.Handler.Grants.Cache == nil {
		return nil
	}
	return l.Handler.Grants.Cache.Informers
}
