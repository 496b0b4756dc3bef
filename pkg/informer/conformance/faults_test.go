package conformance

import (
	"maps"
	"slices"
	"sync"
)

// faults must all happen to both sides over all seeds, in the words in which the server counts
// them.
var faults = []string{
	"refused",
	"stream: error 410", "stream: error 429", "stream: error 500",
	"watch: 410 Expired", "watch: 410 Gone", "watch: 429", "watch: 429 Retry-After", "watch: 500",
	"watch: no answer",
	"watch of a version the server has forgotten", "watch closed at once",
	"page: 410 Expired", "page: 410 Gone", "page: 429", "page: 429 Retry-After", "page: 500",
	"page: no answer", "page: cut",
	"list: 410 Expired", "list: 410 Gone", "list: 504 too large", "list: 429",
	"list: 429 Retry-After", "list: 500", "list: no answer", "list: cut",
	"streamed list: 410 Expired", "streamed list: 410 Gone", "streamed list: 504 too large",
	"streamed list: 429",
	"streamed list: 429 Retry-After", "streamed list: 500", "streamed list: no answer",
	"streamed list: 422",
	"streamed list", "streamed list without an end", "changes within a streamed list",
	"list in pages", "items before metadata",
	"stream: cut at a byte", "stream: connection closed without an end", "stream: half frame",
	"stream: closed", "stream: closed later",
	"stream: unknown type", "stream: no JSON", "object of another kind",
	"duplicate events", "bookmark",
	"change never announced", "delete never announced", "recreated",
	"recreated, delete never announced",
	"stale list", "stale streamed list",
}

// tally adds up what servers counted.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (c *tally) add(counts map[string]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	for fault, n := range counts {
		c.counts[fault] += n
	}
}

func (c *tally) of(fault string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts[fault]
}

func (c *tally) names() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.counts))
}
