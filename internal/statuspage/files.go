package statuspage

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

//go:embed static
var static embed.FS

// types are what is served of the folder: not the licenses, which are only to be there.
var types = map[string]string{".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
	".js": "text/javascript; charset=utf-8"}

// files returns what serves the page's files, by path.
func files() map[string]http.HandlerFunc {
	all := map[string]http.HandlerFunc{}
	err := fs.WalkDir(static, "static", func(name string, d fs.DirEntry, err error) error {
		kind := types[path.Ext(name)]
		if err != nil || d.IsDir() || kind == "" {
			return err
		}
		text, err := static.ReadFile(name)
		if err != nil {
			return err
		}
		at := strings.TrimPrefix(name, "static")
		if at == "/index.html" {
			at = "/"
		}
		policy := contentPolicy(text)
		all[at] = func(w http.ResponseWriter, _ *http.Request) {
			h := w.Header()
			h.Set("Content-Type", kind)
			h.Set("Content-Security-Policy", policy)
			h.Set("Referrer-Policy", "no-referrer")
			h.Set("Cross-Origin-Opener-Policy", "same-origin")
			h.Set("Cross-Origin-Resource-Policy", "same-origin")
			_, _ = w.Write(text) // the client has gone
		}
		return nil
	})
	if err != nil {
		panic(err) // it is embedded
	}
	return all
}

// contentPolicy returns what a file may load: the files of the page. The map of their names is the
// one script that is part of a file.
func contentPolicy(text []byte) string {
	scripts := "'self'"
	if _, rest, found := bytes.Cut(text, []byte(`<script type="importmap">`)); found {
		names, _, _ := bytes.Cut(rest, []byte("</script>"))
		sum := sha256.Sum256(names)
		scripts += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + scripts + "; style-src 'self'; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
