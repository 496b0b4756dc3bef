package nats_test

import (
	"os"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

// account is an operator with one account, as nsc makes it.
type account struct {
	operator, keys nkeys.KeyPair
	public         string
	claims         *jwt.AccountClaims
	resolver       *server.MemAccResolver
	last           string // the public key of the last user
}

func newAccount(t *testing.T) *account {
	t.Helper()
	a := &account{resolver: &server.MemAccResolver{}}
	var err error
	if a.operator, err = nkeys.CreateOperator(); err != nil {
		t.Fatal(err)
	}
	if a.keys, err = nkeys.CreateAccount(); err != nil {
		t.Fatal(err)
	}
	if a.public, err = a.keys.PublicKey(); err != nil {
		t.Fatal(err)
	}
	a.claims = jwt.NewAccountClaims(a.public)
	a.store(t)
	return a
}

func (a *account) store(t *testing.T) {
	t.Helper()
	text, err := a.claims.Encode(a.operator)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.resolver.Store(a.public, text); err != nil {
		t.Fatal(err)
	}
}

func (a *account) options() *server.Options {
	operator, err := a.operator.PublicKey()
	if err != nil {
		panic(err) // it was created
	}
	return &server.Options{TrustedKeys: []string{operator}, AccountResolver: a.resolver}
}

// user returns the credentials of a new user, who may publish to some subjects, or to all.
func (a *account) user(t *testing.T, subjects []string) string {
	t.Helper()
	keys, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	if a.last, err = keys.PublicKey(); err != nil {
		t.Fatal(err)
	}
	claims := jwt.NewUserClaims(a.last)
	if subjects != nil {
		claims.Permissions.Pub.Allow.Add(subjects...)
	}
	text, err := claims.Encode(a.keys)
	if err != nil {
		t.Fatal(err)
	}
	seed, err := keys.Seed()
	if err != nil {
		t.Fatal(err)
	}
	creds, err := jwt.FormatUserConfig(text, seed)
	if err != nil {
		t.Fatal(err)
	}
	return string(creds)
}

// revoke revokes the last user, whom the server disconnects.
func (a *account) revoke(t *testing.T, s *server.Server) {
	t.Helper()
	a.claims.RevokeAt(a.last, time.Now().Add(time.Minute))
	a.store(t)
	known, err := s.LookupAccount(a.public)
	if err != nil {
		t.Fatal(err)
	}
	s.UpdateAccountClaims(known, a.claims)
}

func rewrite(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
