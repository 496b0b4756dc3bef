// Busy needs a good 3 ms of a processor for each event, and tells that it is done.
package main

import (
	"strconv"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
)

const rounds = 2_500_000

func init() {
	informerd.Register(informerd.Handler{OnEvent: func(e *informerd.Event) informerd.Verdict {
		n := uint64(1)
		for range rounds {
			n = n*6364136223846793005 + 1442695040888963407
		}
		if err := informerd.Emit("dev.informerd.busy", map[string]any{"n": strconv.FormatUint(n, 10)}); err != nil {
			return e.Retry(err.Error())
		}
		return informerd.Done
	}})
}

func main() {}
