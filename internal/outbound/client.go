package outbound

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/textproto"
	"net/url"
	"slices"
	"time"
)

const (
	maxRedirects   = 3
	maxAnswerHead  = 64 << 10
	connectTimeout = 5 * time.Second
	idleTimeout    = 30 * time.Second
)

// Config is a grant.
type Config struct {
	// Allow are the URL prefixes that requests may go to.
	Allow []string
	// Methods are those that requests may have.
	Methods []string
	// Headers go with every request.
	Headers map[string]string
	// MaxHeaders is how many headers of its own a request may have, MaxRequest and MaxResponse how
	// many bytes a body may.
	MaxHeaders              int
	MaxRequest, MaxResponse int64
	// Private lets plain http reach private addresses, by names that resolve to them. With https
	// the server's certificate says who it is.
	Private bool
	// Resolver is nil, unless names are to be looked up in another way than the system's.
	Resolver *net.Resolver
	// Transport takes the place of the network, with the checks of addresses that belong to it; nil
	// is the network.
	Transport http.RoundTripper
}

// Client makes requests within one grant. It is safe for concurrent use. Close it in the end, when
// no request is running.
type Client struct {
	config   Config
	prefixes []target
	literals []netip.Addr // of the prefixes
	fixed    http.Header
	client   http.Client
}

// New checks a grant.
func New(config Config) (*Client, error) {
	c := &Client{config: config, fixed: http.Header{}}
	if err := c.parse(); err != nil {
		return nil, err
	}
	c.client = http.Client{
		CheckRedirect: c.redirect,
		Transport: &http.Transport{ // without ForceAttemptHTTP2 this is HTTP/1.1
			Proxy:                  nil,
			DialContext:            c.dial,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    connectTimeout,
			DisableCompression:     true, // a small answer may become a large one
			MaxResponseHeaderBytes: maxAnswerHead,
			MaxIdleConnsPerHost:    4,
			IdleConnTimeout:        idleTimeout,
		},
	}
	if config.Transport != nil {
		c.client.Transport = config.Transport
	}
	return c, nil
}

func (c *Client) parse() error {
	if len(c.config.Allow) == 0 {
		return errors.New("allow is empty: name at least one URL prefix, such as https://hooks.example.com/")
	}
	for _, text := range c.config.Allow {
		t, err := parsePrefix(text)
		if err != nil {
			return fmt.Errorf("allow %q: %w", withoutUser(text), err)
		}
		c.prefixes = append(c.prefixes, t)
		if t.literal.IsValid() {
			c.literals = append(c.literals, t.literal.Unmap())
		}
	}
	for _, m := range c.config.Methods {
		switch {
		case !isToken(m):
			return fmt.Errorf("method %q: it must be a word such as GET", m)
		// one makes a tunnel, the other shows the fixed headers
		case m == http.MethodConnect || m == http.MethodTrace:
			return fmt.Errorf("method %q: handlers are not given it", m)
		}
	}
	for name, value := range c.config.Headers {
		key := textproto.CanonicalMIMEHeaderKey(name)
		switch {
		case !isToken(name):
			return fmt.Errorf(
				"header %q: the name has other characters than letters, digits and some signs",
				name)
		case isFraming(key):
			return fmt.Errorf("header %q: it cannot be set", name)
		case c.fixed[key] != nil:
			return fmt.Errorf("header %q: defined twice, in different case", key)
		case !isValue(value): // which may be a secret
			return fmt.Errorf(
				"header %q: its value has a control character in it, such as a line break", name)
		}
		c.fixed[key] = []string{value}
	}
	return nil
}

// withoutUser hides a user's name and password in a URL that is to be shown.
func withoutUser(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.User == nil {
		return text
	}
	u.User = nil
	return u.String()
}

// request is one that the grant allows.
type request struct {
	method string
	target target
	header http.Header
}

// Method is the request's method.
func (r *request) Method() string { return r.method }

// Host is where the request goes, as named in the grant.
func (r *request) Host() string { return r.target.host }

// Prepare checks a request. The error is an ErrBad, ErrDenied or ErrTooLarge.
func (c *Client) Prepare(head Head, bodySize int64) (*request, error) {
	if !isToken(head.Method) {
		return nil, bad("the method is none")
	}
	t, err := parseTarget(head.URL)
	if err != nil {
		return nil, bad("the URL: %w", err)
	}
	header, err := headers(head.Headers, c.config.MaxHeaders)
	if err != nil {
		return nil, err
	}
	if err := c.allows(head.Method, t); err != nil {
		return nil, err
	}
	if bodySize > c.config.MaxRequest {
		return nil, fmt.Errorf("%w: the body has %d bytes, at most %d are allowed", ErrTooLarge,
			bodySize, c.config.MaxRequest)
	}
	if header["User-Agent"] == nil {
		header["User-Agent"] = []string{"informerd"}
	}
	maps.Copy(header, c.fixed)
	return &request{head.Method, t, header}, nil
}

func (c *Client) allows(method string, t target) error {
	if !slices.Contains(c.config.Methods, method) {
		return denied("the method is not granted")
	}
	if !slices.ContainsFunc(c.prefixes, t.within) {
		return denied("the URL is not granted")
	}
	return nil
}

// Response is what the server answered.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do sends a request and reads the answer to its end. The body is not used after Do returns.
func (c *Client) Do(ctx context.Context, r *request, body []byte) (*Response, error) {
	var reader io.Reader
	if len(body) > 0 {
		reader = bytes.NewReader(bytes.Clone(body)) // it may be read on after an early answer
	}
	ctx = context.WithValue(ctx, schemeKey{}, r.target.scheme)
	request, err := http.NewRequestWithContext(ctx, r.method, r.target.url.String(), reader)
	if err != nil {
		return nil, bad("it cannot be sent")
	}
	request.Header = r.header
	answer, err := c.client.Do(request)
	if err != nil {
		return nil, withoutURL(err)
	}
	defer func() { _ = answer.Body.Close() }() // the answer is read, or given up
	if answer.StatusCode < 200 {
		return nil, fmt.Errorf("the server answered with status %d", answer.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, c.config.MaxResponse+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > c.config.MaxResponse {
		return nil, fmt.Errorf("%w: the answer has more than %d bytes", ErrTooLarge,
			c.config.MaxResponse)
	}
	return &Response{answer.StatusCode, answer.Header, text}, nil
}

// withoutURL returns the reason alone.
func withoutURL(err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		return outer.Err
	}
	return err
}

// redirect follows what stays with the server and within the grant; else the redirect is the
// answer.
func (c *Client) redirect(next *http.Request, made []*http.Request) error {
	from, err := parseTarget(made[0].URL.String())
	if err != nil {
		return http.ErrUseLastResponse
	}
	to, err := parseTarget(next.URL.String())
	if err != nil || len(made) > maxRedirects || !to.sameOrigin(from) ||
		c.allows(next.Method, to) != nil {
		return http.ErrUseLastResponse
	}
	next.URL = to.url
	return nil
}

// dial connects, and looks at the address that it really connects to.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	scheme, _ := ctx.Value(schemeKey{}).(string)
	return dial(ctx, c.config.Resolver, network, address, func(found netip.AddrPort, named netip.Addr) error {
		return c.reach(found, named, scheme)
	})
}

// schemeKey leads from a request's context to the scheme of its URL. Connections are not shared
// between schemes.
type schemeKey struct{}

// reach says what is wrong with connecting to an address, which the URL names or not.
func (c *Client) reach(address netip.AddrPort, named netip.Addr, scheme string) error {
	found := address.Addr()
	if isAPIServer(address) {
		return denied("%s is the cluster's API server, which handlers never reach", found)
	}
	if found.Unmap() == named && slices.Contains(c.literals, named) {
		return nil
	}
	if why := refusal(found); why != "" {
		return denied("%s is %s, which the grant does not name", found, why)
	}
	if scheme != "https" && !c.config.Private && isPrivate(found) {
		return denied("%s is a private address: use https, name the address, or set private in the grant", found)
	}
	return nil
}

// Close closes the idle connections.
func (c *Client) Close() {
	c.client.CloseIdleConnections()
}
