package rights

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/wording"
	"github.com/informerd/informerd/pkg/informer"
)

// accessTime bounds a request that finds out whether something is allowed.
const accessTime = 20 * time.Second

// Missing is an error about rights that a configuration needs and the API server does not
// grant. It is a config.Errors as well.
type Missing struct{ config.Errors }

// Unwrap lets errors.As find the config.Errors.
func (e *Missing) Unwrap() error { return e.Errors }

// Access collects what is refused of listing one object of an informer and beginning a watch. What
// outputs may do, Compare asks, since trying would change something.
type Access struct {
	client   *informer.Client
	config   *config.Config
	mistakes config.Errors
	missing  bool // a right
	used     map[*config.Informer]bool
}

// New returns an Access that has asked for nothing.
func New(client *informer.Client, cfg *config.Config) *Access {
	p, _ := plan.Compile(cfg, nil) // its mistakes are reported elsewhere
	return &Access{client: client, config: cfg, used: usedBy(p)}
}

// Try asks for an informer's objects in each of its namespaces, if a listener uses the informer.
// What the server refuses is added to the mistakes; the error is that the server cannot be asked.
func (a *Access) Try(ctx context.Context, inf plan.PlacedInformer, found kube.Resource) error {
	if !a.used[inf.Informer] {
		return nil
	}
	for _, scope := range plan.ScopesOf(inf.Informer) {
		lw, where := a.client.ListWatcher(found.Watched(), scope), wording.In(scope.Namespace)
		denied := false // list was refused, which is enough to report
		for _, verb := range []string{"list", "watch"} {
			err := tryVerb(ctx, lw, verb)
			switch {
			case err == nil:
				continue
			case ctx.Err() != nil:
				return ctx.Err()
			case apierrors.IsForbidden(err):
				a.missing = true
				if !denied {
					a.mistake(inf, "resource", fmt.Sprintf("%s may not %s %s%s", a.users(inf), verb,
						found.Watched(), where), "the API server says: "+err.Error())
				}
				denied = true
				continue
			case apierrors.IsBadRequest(err) && inf.FieldSelector != "":
				a.mistake(inf, "fieldSelector",
					fmt.Sprintf("the API server does not support the fieldSelector of %s: %v",
						a.users(inf), err), "")
			case isAbout(err):
				a.mistake(inf, "resource", fmt.Sprintf("%s cannot %s %s%s: %v", a.users(inf), verb,
					found.Watched(), where, err), "")
			default:
				return fmt.Errorf("cannot find out whether %s may %s %s%s: %w", a.users(inf), verb,
					found.Watched(), where, err)
			}
			break // a watch would be refused as the list is
		}
	}
	return nil
}

// A server that cannot answer yet, such as one that has just begun to serve a custom resource, says
// when to ask again.
const (
	accessTries = 5
	accessDelay = 5 * time.Second // a longer delay is not waited for
)

// tryVerb lists one object, or begins a watch and ends it.
func tryVerb(ctx context.Context, lw informer.ListWatcher, verb string) error {
	for n := 1; ; n++ {
		err := tryOnce(ctx, lw, verb)
		delay := backoff.RetryAfter(err)
		if n == accessTries || delay == 0 || delay > accessDelay {
			return err
		}
		if err := backoff.Sleep(ctx, delay); err != nil {
			return err
		}
	}
}

func tryOnce(ctx context.Context, lw informer.ListWatcher, verb string) error {
	ctx, cancel := context.WithTimeout(ctx, accessTime)
	defer cancel()
	ask, opts := lw.List, metav1.ListOptions{Limit: 1}
	if verb == "watch" {
		// Some proxies answer only with the first event or the end.
		ask, opts = lw.Watch, metav1.ListOptions{TimeoutSeconds: new(int64(1))}
	}
	body, err := ask(ctx, opts)
	if err != nil {
		return err
	}
	return body.Close()
}

// isAbout reports whether the error is about the request, and not about answering it now.
func isAbout(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	code := status.Status().Code
	return code >= 400 && code < 500 && code != http.StatusUnauthorized &&
		code != http.StatusRequestTimeout && code != http.StatusTooManyRequests
}

func (a *Access) mistake(inf plan.PlacedInformer, field, message, hint string) {
	a.mistakes = append(a.mistakes, a.config.ErrorAt(inf.Field+"."+field, message, hint))
}

// users returns who uses an informer: listener "a", or listeners "a" and "b", or informer "x" if
// objects are only looked up in it.
func (a *Access) users(inf plan.PlacedInformer) string {
	var names []string
	for _, l := range a.config.ListenersInOrder() {
		if l.Informer() == inf.Informer {
			names = append(names, fmt.Sprintf("%q", l.Name))
		}
	}
	switch last := len(names) - 1; last {
	case -1:
		return fmt.Sprintf("informer %q", inf.Field[strings.LastIndexByte(inf.Field, '.')+1:])
	case 0:
		return "listener " + names[0]
	default:
		return "listeners " + strings.Join(names[:last], ", ") + " and " + names[last]
	}
}

// Err returns what the requests found, nil if all rights are granted.
func (a *Access) Err(mistakes config.Errors) error {
	all := plan.NotLoaded(a.config, append(mistakes, a.mistakes...))
	switch {
	case len(mistakes)+len(a.mistakes) == 0:
		return nil
	case a.missing:
		return &Missing{all}
	default:
		return all
	}
}
