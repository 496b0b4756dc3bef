package access

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	// TTL is how long an answer is used.
	TTL = 10 * time.Second
	// ReviewTime bounds a question to the reviewer.
	ReviewTime = 5 * time.Second
	// maxToken is the length in bytes above which a token is nobody's.
	maxToken = 8 << 10
	// maxUsers, maxRefused and maxRights are how many answers are remembered, about.
	maxUsers, maxRefused, maxRights = 1_000, 4_000, 10_000
	// strangersPerSecond and strangersBurst bound the reviews of tokens that are not known, and
	// strangersAtOnce how many of them are under way; friendsAtOnce are those of known ones.
	strangersPerSecond, strangersBurst, strangersAtOnce = 10, 20, 4
	friendsAtOnce                                       = 16
)

// The errors of Check.
var (
	// ErrUnauthenticated is the error of a request without a token that somebody owns.
	ErrUnauthenticated = errors.New("no valid token")
	// ErrForbidden is the error of a token whose owner may not do that with the path.
	ErrForbidden = errors.New("the owner of the token may not do that with the path")
	// ErrBusy is the error of a new token while too many others are reviewed.
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

// Reviewer knows tokens and rights. An error says that there was no answer.
type Reviewer interface {
	// Token returns the owner of a token, nil if it is nobody's or for another audience.
	Token(ctx context.Context, token string) (*Identity, error)
	// May reports whether somebody may do something with a path, with a verb as rights have it.
	May(ctx context.Context, who *Identity, verb, path string) (bool, error)
}

// Checker decides who may do what. Make one with New; it is safe for concurrent use.
type Checker struct {
	reviewer Reviewer
	key      []byte // of digests

	users     *memory[digest, *Identity]
	refused   *memory[digest, struct{}]
	rights    *memory[right, bool]
	reviewing flights[digest, *Identity]
	asking    flights[right, bool]

	strangers, friends gate
	budget             budget
}

// digest is of a token.
type digest [sha256.Size]byte

// right is the one to do something with a path with a token.
type right struct {
	token      digest
	verb, path string
}

// New returns a checker that has asked nobody yet.
func New(r Reviewer) *Checker {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // it never fails
	return &Checker{reviewer: r, key: key,
		users: newMemory[digest, *Identity](maxUsers), refused: newMemory[digest,
			struct{}](maxRefused), rights: newMemory[right, bool](maxRights),
		strangers: make(gate, strangersAtOnce), friends: make(gate, friendsAtOnce),
		budget: budget{perSecond: strangersPerSecond, burst: strangersBurst}}
}

// Session is what a request may do with its token.
type Session struct {
	checker *Checker
	token   digest
	who     *Identity
}

// Authenticate returns the session of a request with these Authorization headers.
func (c *Checker) Authenticate(ctx context.Context, headers []string) (Session, error) {
	token, ok := tokenOf(headers)
	if !ok {
		return Session{}, ErrUnauthenticated
	}
	d := c.digest(token)
	who, err := c.owner(ctx, d, token)
	return Session{c, d, who}, err
}

// May returns nil if the owner of the session's token may do something with the path.
func (s Session) May(ctx context.Context, verb, path string) error {
	c, r := s.checker, right{s.token, verb, path}
	allowed, found := c.rights.fresh(r)
	if !found {
		var err error
		allowed, err = c.asking.do(ctx, r, func() (bool, error) {
			return review(ctx, c.friends, func(ctx context.Context) (bool, error) {
				begun := time.Now()
				allowed, err := c.reviewer.May(ctx, s.who, verb, path)
				if err == nil {
					c.rights.put(r, allowed, begun.Add(TTL))
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
func (c *Checker) owner(ctx context.Context, d digest, token string) (*Identity, error) {
	if who, fresh := c.users.fresh(d); fresh {
		return who, nil
	}
	if _, fresh := c.refused.fresh(d); fresh {
		return nil, ErrUnauthenticated
	}
	return c.reviewing.do(ctx, d, func() (*Identity, error) {
		entrance := c.friends
		if !c.users.has(d) {
			if entrance = c.strangers; !c.budget.spend(time.Now()) {
				return nil, ErrBusy
			}
		}
		return review(ctx, entrance, func(ctx context.Context) (*Identity, error) {
			begun := time.Now()
			who, err := c.reviewer.Token(ctx, token)
			switch {
			case err != nil:
				return nil, err
			case who == nil:
				c.users.drop(d)
				c.refused.put(d, struct{}{}, begun.Add(TTL))
				return nil, ErrUnauthenticated
			}
			c.users.put(d, who, begun.Add(TTL))
			return who, nil
		})
	})
}

// review asks a question once it may enter. Whoever asks waits for that as long as for the answer.
func review[V any](ctx context.Context, entrance gate,
	ask func(context.Context) (V, error)) (answer V, err error) {
	ctx, cancel := context.WithTimeout(ctx, ReviewTime)
	defer cancel()
	if err := entrance.enter(ctx); err != nil {
		return answer, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer entrance.leave()
	answer, err = ask(ctx)
	if err != nil && !errors.Is(err, ErrUnauthenticated) {
		err = fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return answer, err
}

func (c *Checker) digest(token string) (d digest) {
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
