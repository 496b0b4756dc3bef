package plugins

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// everythingAS loads the AssemblyScript guest that calls every function of the host, with all grants.
func everythingAS(t *testing.T, url string) *Instance {
	t.Helper()
	host, _ := testHost(t)
	spec := testSpec(buildGuest(t, "assemblyscript", "../../plugins/sdk/assemblyscript/test/everything.ts"))
	spec.Config = fmt.Appendf(nil, `{"url":%q}`, url)
	seed := uint64(1)
	spec.Grants.Clock.Fixed = time.Unix(0, 1234567890123456789)
	spec.Grants.Random.Seed = &seed
	spec.Grants.HTTP = &HTTPGrant{Allow: []string{url}, Headers: map[string]string{"Authorization": "theirs"}}
	spec.Grants.Cache = &CacheGrant{Informers: []string{"owners"}}
	spec.Caches = ownersAndNodes(t)
	return instance(t, host, spec)
}

// The words of the AssemblyScript SDK that need a grant, in the real host.
func TestAssemblyScriptWords(t *testing.T) {
	url := httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", fmt.Sprintf("%s %s %s %s %s", r.Method, r.URL, r.Header.Get("X-Own"), r.Header.Get("Authorization"), body))
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprintf(w, "%10000d", 1)
	}) + "/in/"
	i := everythingAS(t, url)
	web := ownersAndNodes(t).Get("owners", "shop", "web")
	randoms := map[string]bool{`0,0,0,0"}`: true}
	for range 2 {
		r, err := i.Handle(t.Context(), podAdd(t))
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf(`done data {"kv":["not found","not found","","ä",false,true,"b","","bad argument"],`+
			`"http":[418,"POST /in/a mine theirs a body",true,10000,"denied"],`+
			`"cache":["denied","not found","web",0,false,%d,"web","web",""],"now":1234567890123456789,"random":"`, web.Size())
		random, found := strings.CutPrefix(texts([]Result{r}), want)
		if !found || randoms[random] {
			t.Errorf("got  %s\nwant %s", texts([]Result{r}), want)
		}
		randoms[random] = true
	}
}

func TestAssemblyScriptBatch(t *testing.T) {
	i := everythingAS(t, "https://example.com/")
	if !i.handler.Batches() {
		t.Fatal("it takes no batches")
	}
	emitted := func(n int) string {
		return fmt.Sprintf(`done event {"type":"com.example.everything","data":{"name":"web-%d","of":4}}`, n)
	}
	want := emitted(0) + ", fail gone: web-1, drop, " + emitted(3)
	for range 2 {
		results, err := i.HandleBatch(t.Context(), batchOf(t, event.Add, event.Delete, event.Resync, event.Update))
		if got := texts(results); err != nil || got != want {
			t.Errorf("got  %s, %v\nwant %s", got, err, want)
		}
	}
}
