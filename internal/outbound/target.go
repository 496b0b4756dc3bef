package outbound

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// target is a URL that means one thing only.
type target struct {
	scheme, host, port string     // in the one form they are compared in
	literal            netip.Addr // the host, if it is an address
	url                *url.URL   // with the host in that form, without a fragment
}

const maxHost = 253

// parseTarget takes a URL apart and refuses what might be read in another way by a server, a
// library or a person. Its errors do not hold the URL.
func parseTarget(text string) (target, error) {
	t, err := parseServer(text)
	if err == nil {
		err = checkPath(t.url.EscapedPath())
	}
	return t, err
}

// parseServer is parseTarget without a check of the path.
func parseServer(text string) (target, error) {
	for _, c := range []byte(text) {
		if c <= ' ' || c >= 0x7f {
			return target{}, errors.New("it has white space, control or non-ASCII characters in it")
		}
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return target{}, errors.New("it is not a valid URL")
	case u.Scheme != "https" && u.Scheme != "http" || u.Opaque != "" || u.Host == "":
		return target{}, errors.New("it must begin with https:// or http:// and a host")
	case u.User != nil:
		return target{}, errors.New("it has a user name in it")
	}
	t := target{scheme: u.Scheme, host: strings.ToLower(u.Hostname()), port: u.Port()}
	if err := cmp.Or(t.parsePort(), t.parseHost()); err != nil {
		return target{}, err
	}
	u.Path = cmp.Or(u.Path, "/")
	u.Host, u.Fragment, u.RawFragment = t.address(), "", ""
	t.url = u
	return t, nil
}

func (t *target) parsePort() error {
	if t.port == "" {
		t.port = "443"
		if t.scheme == "http" {
			t.port = "80"
		}
		return nil
	}
	n, err := strconv.ParseUint(t.port, 10, 16)
	if err != nil || n == 0 {
		return errors.New("its port must be between 1 and 65535")
	}
	t.port = strconv.FormatUint(n, 10) // without zeros in front
	return nil
}

func (t *target) parseHost() error {
	if a, err := netip.ParseAddr(t.host); err == nil {
		if a.Zone() != "" {
			return errors.New("its address has a zone")
		}
		t.literal, t.host = a, a.String()
		return nil
	}
	if len(t.host) > maxHost {
		return fmt.Errorf("its host has more than %d characters", maxHost)
	}
	for label := range strings.SplitSeq(t.host, ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return errors.New(
				"its host is neither a name of letters, digits, - and _ nor an address")
		}
	}
	return nil
}

// address returns the host, and the port unless it is the scheme's own.
func (t *target) address() string {
	if t.scheme == "https" && t.port == "443" || t.scheme == "http" && t.port == "80" {
		if t.literal.Is6() {
			return "[" + t.host + "]"
		}
		return t.host
	}
	return net.JoinHostPort(t.host, t.port)
}

// checkPath refuses paths that some server may take for another path than the text says. Servers
// decode once, and those behind them perhaps once more, so a segment must be harmless however often
// it is decoded.
func checkPath(escaped string) error {
	for segment := range strings.SplitSeq(escaped, "/") {
		for {
			// some servers cut parameters off before they look at dots
			name, _, _ := strings.Cut(segment, ";")
			switch {
			case name != "" && strings.Trim(name, ". ") == "":
				return errors.New("its path has a segment of dots in it")
			case strings.ContainsAny(segment, `/\`):
				return errors.New("its path has an encoded slash or a backslash in it")
			case strings.ContainsFunc(segment, isControl):
				return errors.New("its path has a control character in it")
			// a way to write a slash or a dot for careless decoders
			case !utf8.ValidString(segment):
				return errors.New("its path is not UTF-8")
			}
			decoded, err := url.PathUnescape(segment)
			if err != nil || decoded == segment {
				break
			}
			segment = decoded
		}
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// sameOrigin reports whether two URLs lead to the same server.
func (t target) sameOrigin(o target) bool {
	return t.scheme == o.scheme && t.host == o.host && t.port == o.port
}

// within reports whether t is where the prefix p leads.
func (t target) within(p target) bool {
	path, prefix := t.url.Path, p.url.Path
	return t.sameOrigin(p) && (path == prefix ||
		strings.HasPrefix(path, strings.TrimSuffix(prefix, "/")+"/"))
}

// CheckPrefix returns what is wrong with a URL prefix of a grant. Its errors do not hold the URL.
func CheckPrefix(text string) error {
	_, err := parsePrefix(text)
	return err
}

// parsePrefix reads a URL prefix of a grant.
func parsePrefix(text string) (target, error) {
	t, err := parseTarget(text)
	switch {
	case err != nil:
		return target{}, err
	case strings.ContainsAny(text, "?#"):
		return target{}, errors.New("it must end with the path")
	}
	return t, t.checkName()
}

// checkName refuses names that lead where only an address may lead.
func (t *target) checkName() error {
	last := t.host[strings.LastIndexByte(t.host, '.')+1:]
	switch {
	case t.literal.IsValid():
		return nil
	case strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x"):
		return errors.New("its host looks like an address, but is not written as one")
	case thisMachine(t.host):
		return errors.New(
			"a name never leads to a loopback address: write the address, as in http://127.0.0.1:8080/")
	case slices.Contains(metadataNames, t.host):
		return errors.New("it is a metadata service")
	}
	return nil
}
