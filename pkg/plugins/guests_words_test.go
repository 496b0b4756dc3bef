package plugins

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// talker is a guest that calls every function of the host, and tells what it got.
type talker struct {
	language, source string
	answer           int    // bytes of the HTTP answer: more than its SDK reads at once
	random           string // how it writes four bytes
}

var talkers = []talker{
	{"c", "../../plugins/sdk/c/test/everything.c", 40_000, `[%d,%d,%d,%d]`},
	{"assemblyscript", "../../plugins/sdk/assemblyscript/test/everything.ts", 10_000,
		`"%d,%d,%d,%d"`},
}

// load grants it everything.
func (g talker) load(t *testing.T, url string) *Instance {
	t.Helper()
	host, _ := testHost(t)
	spec := testSpec(buildGuest(t, g.language, g.source))
	spec.Config = fmt.Appendf(nil, `{"url":%q}`, url)
	seed := uint64(1)
	spec.Grants.Clock.Fixed = time.Unix(0, 1234567890123456789)
	spec.Grants.Random.Seed = &seed
	spec.Grants.HTTP = &HTTPGrant{Allow: []string{url},
		Headers: map[string]string{"Authorization": "theirs"}}
	spec.Grants.Cache = &CacheGrant{Informers: []string{"owners"}}
	spec.Caches = ownersAndNodes(t)
	return instance(t, host, spec)
}

// The words of an SDK that need a grant, in the real host.
func TestWordsOfSDKs(t *testing.T) {
	for _, g := range talkers {
		t.Run(g.language, func(t *testing.T) {
			url := httpServer(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				w.Header().Set("X-Seen",
					fmt.Sprintf("%s %s %s %s %s", r.Method, r.URL, r.Header.Get("X-Own"),
						r.Header.Get("Authorization"), body))
				w.WriteHeader(http.StatusTeapot)
				fmt.Fprintf(w, "%*d", g.answer, 1)
			}) + "/in/"
			i := g.load(t, url)
			web := ownersAndNodes(t).Get("owners", "shop", "web")
			numbers, random := rand.NewChaCha8([32]byte{1}), make([]byte, 4)
			for range 2 {
				_, _ = numbers.Read(random)
				r, err := i.Handle(t.Context(), podAdd(t))
				if err != nil {
					t.Fatal(err)
				}
				want := fmt.Sprintf(
					`done data {"kv":["not found","not found","","ä",false,true,"b","","bad argument"],`+
						`"http":[418,"POST /in/a mine theirs a body",true,%d,"denied"],`+
						`"cache":["denied","not found","web",0,false,%d,"web","web",""],"now":1234567890123456789,"random":`+g.random+`}`,
					g.answer, web.Size(), random[0], random[1], random[2], random[3])
				if got := texts([]Result{r}); got != want {
					t.Errorf("got  %s\nwant %s", got, want)
				}
			}
		})
	}
}

// Events of a batch have their own verdicts, reasons and emissions.
func TestBatchesOfSDKs(t *testing.T) {
	emitted := func(n int) string {
		return fmt.Sprintf(`done event {"type":"com.example.everything","data":{"name":"web-%d","of":4}}`, n)
	}
	want := emitted(0) + ", fail gone: web-1, drop, " + emitted(3)
	for _, g := range talkers {
		t.Run(g.language, func(t *testing.T) {
			i := g.load(t, "https://example.com/")
			if !i.handler.Batches() {
				t.Fatal("it takes no batches")
			}
			for range 2 {
				results, err := i.HandleBatch(t.Context(),
					batchOf(t, event.Add, event.Delete, event.Resync, event.Update))
				if got := texts(results); err != nil || got != want {
					t.Errorf("got  %s, %v\nwant %s", got, err, want)
				}
			}
		})
	}
}
