// Everything is a guest that uses every function of the SDK; the tests of pkg/plugins run it on the
// real host.
package main

import (
	"errors"
	"fmt"
	"time"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
	"github.com/informerd/informerd/plugins/sdk/go/batch"
)

var (
	name     = informerd.Path("metadata.name")
	restarts = informerd.Path("status.containerStatuses[0].restartCount")
	network  = informerd.Path("spec.hostNetwork")
	note     = informerd.Path("metadata.annotations.note")
	none     = informerd.Path("none")

	settings struct {
		URL      string `json:"url"`      // of a server
		Informer string `json:"informer"` // granted
		Do       string `json:"do"`       // the probe to run in place of everything
	}
	owners informerd.CacheReader
)

func init() {
	batch.Register(batch.Handler{Configure: configure, OnBatch: onBatch})
}

func main() {}

func configure() error {
	if err := informerd.Config(&settings); err != nil {
		return err
	}
	if _, err := informerd.Cache("not granted"); !errors.Is(err, informerd.ErrDenied) {
		return fmt.Errorf("informer that is not granted: %w", err)
	}
	var err error
	if owners, err = informerd.Cache(settings.Informer); err != nil {
		return err
	}
	switch settings.Do {
	case "read ahead":
		return nil
	case "read with calls":
		return informerd.Prefetch()
	}
	return informerd.Prefetch(name, restarts, network, none)
}

// onBatch emits what it found for each event, or returns the verdict that belongs to its operation.
func onBatch(b *batch.Batch) informerd.Verdict {
	for e := b.Next(); e != nil; e = b.Next() {
		if settings.Do != "" {
			e.SetVerdict(probe(e.Event, settings.Do))
			continue
		}
		switch e.Op {
		case informerd.Delete:
			e.SetVerdict(e.Fail("gone: " + e.Object.String(name)))
			continue
		case informerd.Resync:
			e.SetVerdict(e.Retry("later"))
			continue
		}
		found := map[string]any{"of": b.Len(), "changed": e.Changed(restarts),
			"size": e.Object.Size(), "json": len(e.Object.JSON())}
		fields(e.Object, found)
		values(found)
		request(found)
		caches(found)
		surroundings(found)
		if informerd.LogEnabled(informerd.LevelInfo) {
			informerd.Log(informerd.LevelInfo, "about "+e.Object.String(name))
		}
		if err := errors.Join(informerd.Emit("com.example.everything", found),
			informerd.SetData(e.Old.Exists())); err != nil {
			e.SetVerdict(e.Fail(err.Error()))
		}
	}
	return informerd.Done
}

func fields(o informerd.Object, found map[string]any) {
	found["name"], found["restarts"], found["network"] = o.String(name), o.Int(restarts),
		o.Bool(network)
	found["none"] = o.Has(none)
}

// values counts the events in the store.
func values(found map[string]any) {
	for {
		old, err := informerd.KVGet("count")
		if err != nil && err != informerd.ErrNotFound {
			found["kv get"] = err.Error()
			return
		}
		swapped, err := informerd.KVCAS("count", old, append(old[:len(old):len(old)], '.'),
			time.Hour)
		if err != nil {
			found["kv cas"] = err.Error()
			return
		}
		if swapped {
			found["count"] = len(old) + 1
			break
		}
	}
	found["kv"] = []string{
		text(informerd.KVSet("other", nil, time.Minute)),
		text(informerd.KVDelete("other")),
		text(informerd.KVDelete("other")),
		text(informerd.KVSet("", nil, 0)),
		text(informerd.KVSet("large", make([]byte, 65<<10), 0)),
	}
}

func request(found map[string]any) {
	_, err := informerd.HTTP(informerd.Request{URL: "https://elsewhere.example.com/"})
	found["denied"] = text(err)
	r, err := informerd.HTTP(informerd.Request{
		Method: "POST", URL: settings.URL + "/x", Header: map[string]string{"X-Own": "mine"},
		Body: []byte("hello"),
	})
	if err != nil {
		found["http"] = text(err)
		return
	}
	body, err := r.Body()
	found["http"] = fmt.Sprint(r.Status, " ", r.Header("x-seen"), " ", len(body), " ",
		string(body[:5]), " ", text(err))
}

func caches(found map[string]any) {
	o, err := owners.Get("shop", "web")
	if err != nil {
		found["get"] = text(err)
		return
	}
	found["get"] = fmt.Sprint(o.String(name), " ", len(o.String(note)), " ", o.Has(none), " ",
		o.Size() == len(o.JSON()))
	o.Close()
	_, err = owners.Get("shop", "nobody")
	found["nobody"] = text(err)
	var names []string
	for o, err := range owners.ByIndex("app", "web") {
		names = append(names, o.String(name)+text(err))
	}
	found["index"] = names
}

func surroundings(found map[string]any) {
	random := make([]byte, 70_000)
	informerd.Random(random)
	found["now"] = informerd.Now()
	found["random"] = fmt.Sprintf("%x %x", random[:4], random[len(random)-4:])
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
