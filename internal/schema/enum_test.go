package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// A huge enum is not kept, so that it allows any text.
func TestLargeEnums(t *testing.T) {
	many := func(n int) string {
		var texts []string
		for i := range n {
			texts = append(texts, fmt.Sprintf("%q", fmt.Sprint("text-", i)))
		}
		return "[" + strings.Join(texts, ",") + "]"
	}
	for text, want := range map[string]int{
		many(maxEnum): maxEnum, many(maxEnum + 1): 0,
		`["` + strings.Repeat("x", maxEnumText) + `","a"]`:   2,
		`["` + strings.Repeat("x", maxEnumText+1) + `","a"]`: 0,
	} {
		var got enum
		if err := json.Unmarshal([]byte(text), &got); err != nil || len(got) != want {
			t.Errorf("%.30s…: %d texts are kept, want %d: %v", text, len(got), want, err)
		}
	}
}
