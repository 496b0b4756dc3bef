package kube

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

func token(claims string) string {
	return "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2ln"
}

const accountClaims = `{"iss":"https://kubernetes.default.svc","kubernetes.io":{"namespace":"shop",` +
	`"pod":{"name":"informerd-0","uid":"2"},"serviceaccount":{"name":"informerd","uid":"1"}},` +
	`"sub":"system:serviceaccount:shop:informerd"}`

func TestAccountOf(t *testing.T) {
	want := Account{"shop", "informerd", "1"}
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token(accountClaims)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		cfg  rest.Config
		want Account
	}{
		"a file":        {rest.Config{BearerTokenFile: file}, want},
		"a token":       {rest.Config{BearerToken: token(accountClaims)}, want},
		"the file wins": {rest.Config{BearerToken: "x", BearerTokenFile: file}, want},
		"no file":       {rest.Config{BearerTokenFile: file + "x"}, Account{}},
		"no token":      {rest.Config{}, Account{}},
		"opaque":        {rest.Config{BearerToken: "abc"}, Account{}},
		"a person's":    {rest.Config{BearerToken: token(`{"sub":"ann"}`)}, Account{}},
		"no JSON":       {rest.Config{BearerToken: token(`{`)}, Account{}},
		"other types":   {rest.Config{BearerToken: token(`{"kubernetes.io":[1]}`)}, Account{}},
		"no uid": {rest.Config{BearerToken: token(strings.Replace(accountClaims, `"uid":"1"`,
			`"uid":""`, 1))}, Account{}},
		"no base64":  {rest.Config{BearerToken: "e30.%%%.c2ln"}, Account{}},
		"four parts": {rest.Config{BearerToken: token(accountClaims) + ".x"}, Account{}},
	} {
		if got := AccountOf(&test.cfg); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

// Only an owner of the same namespace counts: without it, the object would be removed at once.
func TestAccountOwnsInItsNamespace(t *testing.T) {
	a := Account{"shop", "informerd", "1"}
	want := []metav1.OwnerReference{{APIVersion: "v1", Kind: "ServiceAccount", Name: "informerd",
		UID: "1"}}
	if got := a.Owns("shop"); !reflect.DeepEqual(got, want) {
		t.Errorf("in its namespace: %+v", got)
	}
	if got := a.Owns("other"); got != nil {
		t.Errorf("in another namespace: %+v", got)
	}
	if got := (Account{}).Owns(""); got != nil {
		t.Errorf("of no account: %+v", got)
	}
}
