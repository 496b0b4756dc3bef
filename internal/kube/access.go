package kube

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/apimachinery/pkg/util/cache"
)

const (
	// TTL is how long an answer is used.
	TTL = 10 * time.Second
	// knownTime is how long a token that was good is known.
	knownTime = 24 * time.Hour
	// ReviewTime bounds a question to the reviewer.
	ReviewTime = 5 * time.Second
	// maxToken is the length in bytes above which a token is nobody's.
	maxToken = 8 << 10
	// maxUsers, maxRefused and maxRights are how many answers are remembered, about.
	maxUsers, maxRefused, maxRights = 1_000, 4_000, 10_000
	// strangersPerSecond and strangersBurst bound the reviews of tokens that are not known for each
	// network, and strangersAtOnce how many of all are under way; friendsAtOnce are those of known
	// ones. The rates of maxNetworks networks are remembered, each for networkTime.
	strangersPerSecond, strangersBurst, strangersAtOnce = 10, 20, 4
	friendsAtOnce                                       = 16
	maxNetworks, networkTime                            = 10_000, time.Minute
)

// The errors of Check.
var (
	// ErrUnauthenticated is the error of a request without a token that somebody owns.
	ErrUnauthenticated = errors.New("no valid token")
	// ErrForbidden is the error of a token whose owner may not do that with the path.
	ErrForbidden = errors.New("the owner of the token may not do that with the path")
	// ErrBusy is the error of a new token while too many others of its network are reviewed.
	ErrBusy = errors.New("too many tokens are being reviewed")
	// ErrUnavailable is wrapped by the error of a reviewer that does not answer.
	ErrUnavailable = errors.New("tokens and rights cannot be reviewed")
)

// Identity is the owner of a token.
type Identity struct {
	Name, UID string
	Groups    []string
	Extra     map[string][]string
}

// accessReviewer knows tokens and rights. An error says that there was no answer.
type accessReviewer interface {
	// Token returns the owner of a token, nil if it is nobody's or for another audience.
	Token(ctx context.Context, token string) (*Identity, error)
	// May reports whether somebody may do something with a path, with a verb as rights have it.
	May(ctx context.Context, who *Identity, verb, path string) (bool, error)
}

// Access decides whether a request with a token may do something with a path. An accessReviewer,
// such as an API server, says whose token it is and what its owner may do; Access remembers
// the answers for a short time and protects the reviewer from those who ask.
//
//   - Without a token that the reviewer knows, and the right to that verb and path, the result is
//     an error. If the reviewer does not answer, it is one as well: see the errors.
//   - An answer is used for [TTL], counted from before the reviewer was asked: a token or a right
//     that is revoked is refused after that time at the latest, and one that is granted is
//     accepted.
//   - Of several requests at once with the same token and path, one asks the reviewer.
//   - Tokens that are not known are reviewed a few at a time, and at a limited rate for each IPv4
//     address or IPv6 network of 64 bits that they come from; more of them are [ErrBusy]. Owners of
//     tokens that were good before do not notice that, nor do those in other networks.
//   - A token comes as a bearer token, or as the password that a browser asks for. What is not of
//     the form of a token, or too long, is refused without asking.
//   - Memory is bounded, however many tokens are tried. Tokens are not kept, only their keyed
//     digests.
//
// A token is a password, too: a browser cannot send a bearer token by itself, and a form would
// have to be served to everybody and keep the token. With Basic authentication nothing is served
// before. Since a browser then sends it with every request, requests of other origins are
// refused.
//
// Make one with NewAccess; it is safe for concurrent use.
type Access struct {
	reviewer accessReviewer
	key      []byte // of digests

	users   *cache.LRUExpireCache // *Identity by tokenDigest
	refused *cache.LRUExpireCache // tokenDigests
	rights  *cache.LRUExpireCache // bool by accessRight
	known   *cache.LRUExpireCache // tokenDigests that were good before

	reviewing flights[tokenDigest, *Identity]
	asking    flights[accessRight, bool]

	strangers, friends chan struct{}         // their capacities are how many reviews are under way
	budgets            *cache.LRUExpireCache // *rate.Limiter of strangers by network
}

// tokenDigest is of a token.
type tokenDigest [sha256.Size]byte

// accessRight is the one to do something with a path with a token.
type accessRight struct {
	token      tokenDigest
	verb, path string
}

// NewAccess returns a checker that has asked nobody yet.
func NewAccess(r accessReviewer) *Access {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // it never fails
	return &Access{reviewer: r, key: key,
		users: cache.NewLRUExpireCache(maxUsers), refused: cache.NewLRUExpireCache(maxRefused),
		rights: cache.NewLRUExpireCache(maxRights), known: cache.NewLRUExpireCache(maxUsers),
		strangers: make(chan struct{}, strangersAtOnce),
		friends:   make(chan struct{}, friendsAtOnce),
		budgets:   cache.NewLRUExpireCache(maxNetworks)}
}

// accessSession is what a request may do with its token.
type accessSession struct {
	checker *Access
	token   tokenDigest
	who     *Identity
}

// Authenticate returns the session of a request with these Authorization headers, from an address
// with a port.
func (c *Access) Authenticate(ctx context.Context, from string, headers []string) (accessSession,
	error) {
	token, ok := tokenOf(headers)
	if !ok {
		return accessSession{}, ErrUnauthenticated
	}
	d := c.digest(token)
	who, err := c.owner(ctx, networkOf(from), d, token)
	return accessSession{c, d, who}, err
}

// networkOf returns what an address counts as: one machine may have a whole network of IPv6.
func networkOf(from string) netip.Prefix {
	at, _ := netip.ParseAddrPort(from)
	address, bits := at.Addr().Unmap(), 64
	if address.Is4() {
		bits = 32
	}
	network, _ := address.Prefix(bits)
	return network
}

// isInBudget reports whether a stranger of a network may be reviewed now.
func (c *Access) isInBudget(network netip.Prefix) bool {
	budget, found := c.budgets.Get(network)
	if !found {
		budget = rate.NewLimiter(strangersPerSecond, strangersBurst)
	}
	c.budgets.Add(network, budget, networkTime)
	return budget.(*rate.Limiter).Allow()
}

// May returns nil if the owner of the session's token may do something with the path.
func (s accessSession) May(ctx context.Context, verb, path string) error {
	c, r := s.checker, accessRight{s.token, verb, path}
	answer, found := c.rights.Get(r)
	allowed, _ := answer.(bool)
	if !found {
		var err error
		allowed, err = c.asking.do(ctx, r, func() (bool, error) {
			return askReview(ctx, c.friends, func(ctx context.Context) (bool, error) {
				begun := time.Now()
				allowed, err := c.reviewer.May(ctx, s.who, verb, path)
				if err == nil {
					c.rights.Add(r, allowed, untilTTL(begun))
				}
				return allowed, err
			})
		})
		if err != nil {
			return err
		}
	}
	if !allowed {
		return ErrForbidden
	}
	return nil
}

// owner returns whose token it is.
func (c *Access) owner(ctx context.Context, network netip.Prefix, d tokenDigest, token string) (
	*Identity, error) {
	if who, fresh := c.users.Get(d); fresh {
		return who.(*Identity), nil
	}
	if _, fresh := c.refused.Get(d); fresh {
		return nil, ErrUnauthenticated
	}
	return c.reviewing.do(ctx, d, func() (*Identity, error) {
		entrance := c.friends
		if _, known := c.known.Get(d); !known {
			if entrance = c.strangers; !c.isInBudget(network) {
				return nil, ErrBusy
			}
		}
		return askReview(ctx, entrance, func(ctx context.Context) (*Identity, error) {
			begun := time.Now()
			who, err := c.reviewer.Token(ctx, token)
			switch {
			case err != nil:
				return nil, err
			case who == nil:
				c.known.Remove(d)
				c.refused.Add(d, nil, untilTTL(begun))
				return nil, ErrUnauthenticated
			}
			c.users.Add(d, who, untilTTL(begun))
			c.known.Add(d, nil, knownTime)
			return who, nil
		})
	})
}

// askReview asks a question once it may enter. Whoever asks waits for that as long as for the
// answer.
func askReview[V any](ctx context.Context, entrance chan struct{},
	ask func(context.Context) (V, error)) (answer V, err error) {
	ctx, cancel := context.WithTimeout(ctx, ReviewTime)
	defer cancel()
	select {
	case entrance <- struct{}{}:
		defer func() { <-entrance }()
	case <-ctx.Done():
		return answer, fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
	}
	answer, err = ask(ctx)
	if err != nil && !errors.Is(err, ErrUnauthenticated) {
		err = fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return answer, err
}

// untilTTL returns how long an answer is used that was asked for at begun. The cache still has what
// expires at this very moment.
func untilTTL(begun time.Time) time.Duration { return TTL - time.Since(begun) - 1 }

func (c *Access) digest(token string) (d tokenDigest) {
	mac := hmac.New(sha256.New, c.key)
	mac.Write([]byte(token))
	mac.Sum(d[:0])
	return d
}

// tokenOf returns the token of Authorization headers, of which there must be one: as RFC 6750 has
// it, or as the password of RFC 7617, of any user, since that is what a browser asks people for.
func tokenOf(headers []string) (token string, ok bool) {
	if len(headers) != 1 || len(headers[0]) > 2*maxToken {
		return "", false
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	switch {
	case strings.EqualFold(scheme, "Bearer"):
	case strings.EqualFold(scheme, "Basic"):
		text, err := base64.StdEncoding.DecodeString(token)
		if err != nil {
			return "", false
		}
		_, token, _ = strings.Cut(string(text), ":")
	default:
		return "", false
	}
	body := strings.TrimRight(token, "=")
	return token, len(token) <= maxToken && body != "" && !strings.ContainsFunc(body,
		func(c rune) bool {
			return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
				strings.ContainsRune("-._~+/", c))
		})
}
