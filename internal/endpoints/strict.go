package endpoints

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/informerd/informerd/internal/kube"
)

// strict lets requests in that may read what they ask for. What it answers the others says nothing
// but the status.
type strict struct {
	server *Server
	log    *slog.Logger

	mu     sync.Mutex // guards what follows
	logged time.Time
}

// logInterval is how often it is logged that tokens cannot be reviewed.
const logInterval = time.Minute

// admits reports whether a request goes on. Otherwise it is answered.
func (s *strict) admits(w http.ResponseWriter, r *http.Request, to served) bool {
	if !s.isOurs(hostOf(r.Host)) || isForeign(r) {
		refuse(w, http.StatusForbidden)
		return false
	}
	session, err := s.server.Access.Authenticate(r.Context(), r.RemoteAddr, r.Header.Values("Authorization"))
	switch {
	case err != nil:
	case to.handle == nil: // the API server is not asked for each path that somebody may try
		refuse(w, http.StatusNotFound)
		return false
	default:
		err = session.May(r.Context(), to.verb(), rightTo(r.URL.Path))
	}
	switch {
	case err == nil:
		return true
	case errors.Is(err, kube.ErrUnauthenticated):
		// Browsers ask for a name and a password then, and the password is the token.
		w.Header()["Www-Authenticate"] = []string{"Bearer", `Basic realm="informerd"`}
		refuse(w, http.StatusUnauthorized)
	case errors.Is(err, kube.ErrForbidden):
		refuse(w, http.StatusForbidden)
	case errors.Is(err, kube.ErrBusy):
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusTooManyRequests)
	default:
		if r.Context().Err() == nil {
			s.unavailable(err)
		}
		refuse(w, http.StatusServiceUnavailable)
	}
	return false
}

// rightTo returns the path that somebody must be allowed to get for an answer at a path. Every
// cluster lets every account get the paths of health, as its API server has them, too
// (system:public-info-viewer); here their answers name listeners and quote errors. Files of the
// page go with the page.
func rightTo(at string) string {
	switch {
	case at == "/livez" || at == "/readyz" || at == "/healthz":
		return "/statusz"
	case path.Ext(at) != "":
		return "/"
	}
	return at
}

// MayPost reports whether the user of a request, which was let in, may do what is at a path.
func (s *Server) MayPost(r *http.Request, path string) bool {
	if s.Access == nil {
		return false
	}
	session, err := s.Access.Authenticate(r.Context(), r.RemoteAddr, r.Header.Values("Authorization"))
	return err == nil && session.May(r.Context(), verbPost, path) == nil
}

func (s *strict) unavailable(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); s.logged.IsZero() || now.Sub(s.logged) >= logInterval {
		s.logged = now
		s.log.Warn("requests get no answer, since the API server cannot be asked who may read",
			"error", err)
	}
}

// isOurs reports whether a host is one by which clients reach this server. Web pages have names, so
// no page reaches it by an address.
func (s *strict) isOurs(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil || strings.EqualFold(host, "localhost") ||
		slices.ContainsFunc(s.server.Hosts, func(name string) bool {
			return strings.EqualFold(name, host)
		}) {
		return true
	}
	if s.server.TLS == nil || s.server.TLS.GetCertificate == nil {
		return false
	}
	shown, err := s.server.TLS.GetCertificate(nil)
	return err == nil && shown.Leaf != nil && shown.Leaf.VerifyHostname(host) == nil
}

// hostOf returns the host of a Host header, without port and brackets; "" if it is malformed.
func hostOf(header string) string {
	if host, _, err := net.SplitHostPort(header); err == nil {
		return host
	}
	if inner, ok := strings.CutPrefix(header, "["); ok {
		if inner, ok = strings.CutSuffix(inner, "]"); !ok {
			return ""
		}
		return inner
	}
	return header
}

// isForeign reports whether a web page of another origin, or of none, sent the request.
func isForeign(r *http.Request) bool {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return slices.ContainsFunc(r.Header.Values("Origin"), func(origin string) bool {
		u, err := url.Parse(origin)
		return err != nil || u.Scheme != scheme || !strings.EqualFold(u.Host, r.Host)
	})
}

// refuse answers with a status and nothing else.
func refuse(w http.ResponseWriter, status int) {
	fail(w, status, strings.ToLower(http.StatusText(status)))
}
