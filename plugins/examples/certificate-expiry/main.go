// Certificate-expiry is a handler that reports certificates before they expire. See README.md.
package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
)

// eventType is the type of the emitted events.
const eventType = "dev.informerd.examples.certificate-expiry"

const day = 24 * time.Hour

// config is the handler's configuration.
type config struct {
	Days       []int `json:"days"`
	MaxObjects int   `json:"maxObjects"`
}

// finding is the data of an emitted event.
type finding struct {
	Kind      string    `json:"kind"`
	Namespace string    `json:"namespace,omitempty"`
	Name      string    `json:"name"`
	UID       string    `json:"uid"`
	NotAfter  time.Time `json:"notAfter"`
	DaysLeft  int       `json:"daysLeft"`
	Expired   bool      `json:"expired"`
}

var (
	kind      = informerd.Path("kind")
	namespace = informerd.Path("metadata.namespace")
	name      = informerd.Path("metadata.name")
	uid       = informerd.Path("metadata.uid")
	notAfter  = informerd.Path("status.notAfter") // of a Certificate of cert-manager
	webhooks  = informerd.Path("webhooks")        // of an admission webhook's configuration
	configMap = informerd.Path(`data["ca.crt"]`)
	bundles   = []*informerd.FieldPath{
		informerd.Path("spec.caBundle"), // of an APIService
		// of a CustomResourceDefinition
		informerd.Path("spec.conversion.webhook.clientConfig.caBundle"),
	}

	days    []int // descending, with a final 0
	reports *memory
	now     = time.Now // replaced by tests
)

func init() {
	informerd.Register(informerd.Handler{Configure: configure, OnEvent: onEvent})
}

func main() {}

func configure() error {
	c := config{Days: []int{30, 7, 1}, MaxObjects: 10_000}
	if err := informerd.Config(&c); err != nil {
		return err
	}
	if len(c.Days) == 0 {
		return errors.New("days is empty: name at least one number of days")
	}
	if worst := slices.Min(c.Days); worst < 1 {
		return fmt.Errorf("days: %d must be at least 1", worst)
	}
	if c.MaxObjects < 1 {
		return fmt.Errorf("maxObjects is %d, it must be at least 1", c.MaxObjects)
	}
	days = append(c.Days, 0)
	slices.Sort(days)
	slices.Reverse(days)
	reports = newMemory(c.MaxObjects)
	return nil
}

func onEvent(e *informerd.Event) informerd.Verdict {
	id := e.Object.String(uid)
	if e.Op == informerd.Delete {
		reports.forget(id)
		return informerd.Drop
	}
	end, err := expiry(e.Object)
	if err != nil {
		return e.Fail(err.Error())
	}
	left := end.Sub(now())
	stage := stageOf(left)
	if end.IsZero() || stage == 0 {
		reports.forget(id)
		return informerd.Drop
	}
	if !reports.set(id, report{end, stage}) {
		return informerd.Drop
	}
	err = informerd.Emit(eventType, finding{
		Kind:      e.Object.String(kind),
		Namespace: e.Object.String(namespace),
		Name:      e.Object.String(name),
		UID:       id,
		NotAfter:  end.UTC(),
		DaysLeft:  int(left / day),
		Expired:   left <= 0,
	})
	if err != nil {
		return e.Fail(err.Error())
	}
	return informerd.Done
}

// expiry returns when the first of the object's certificates expires, the zero time if it has none.
func expiry(o informerd.Object) (first time.Time, err error) {
	if text := o.String(notAfter); text != "" {
		if first, err = time.Parse(time.RFC3339, text); err != nil {
			return first, errors.New("status.notAfter is not a time")
		}
		return first, nil
	}
	if text := o.String(configMap); text != "" {
		return expiryOf([]byte(text))
	}
	texts, err := bundlesOf(o)
	for _, text := range texts {
		bundle, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return first, errors.New("a bundle of certificates is not base64")
		}
		end, err := expiryOf(bundle)
		if err != nil {
			return first, err
		}
		if first.IsZero() || end.Before(first) {
			first = end
		}
	}
	return first, err
}

// bundlesOf returns the object's bundles of certificates, in base64.
func bundlesOf(o informerd.Object) (texts []string, err error) {
	for _, path := range bundles {
		if text := o.String(path); text != "" {
			texts = append(texts, text)
		}
	}
	list := o.Get(webhooks)
	if list.Kind != informerd.Array {
		return texts, nil
	}
	var hooks []struct {
		ClientConfig struct {
			CABundle string `json:"caBundle"`
		} `json:"clientConfig"`
	}
	if err := json.Unmarshal([]byte(list.Text), &hooks); err != nil {
		return nil, errors.New("webhooks is not a list of webhooks")
	}
	for _, h := range hooks {
		if text := h.ClientConfig.CABundle; text != "" {
			texts = append(texts, text)
		}
	}
	return texts, nil
}

// stageOf returns how many of days the remaining time is within: 0 is none, and len(days) means
// that the certificate has expired.
func stageOf(left time.Duration) (stage int) {
	for _, d := range days {
		if left <= time.Duration(d)*day {
			stage++
		}
	}
	return stage
}
