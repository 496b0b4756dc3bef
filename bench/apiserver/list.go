package apiserver

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// writeSize is how much of a list goes to the client in one write.
const writeSize = 64 << 10

// Continue is the token of the page that begins with the given item, for clients that do not read it.
func Continue(version uint64, item int) string { return fmt.Sprintf("%d-%d", version, item) }

// list answers with a page, or all of the list if there is no limit.
func (c *collection) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("sendInitialEvents") != "" {
		refuse(w, http.StatusUnprocessableEntity, "Invalid", "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list")
		return
	}
	t := c.texts(r)
	version, from := c.newest(), 0
	if token := q.Get("continue"); token != "" {
		v, item, ok := strings.Cut(token, "-")
		var err error
		if version, err = strconv.ParseUint(v, 10, 64); err == nil {
			from, err = strconv.Atoi(item)
		}
		if !ok || err != nil || from < 0 || from > c.data.Count || version < c.data.version(0) || version > c.newest() {
			refuse(w, http.StatusBadRequest, "BadRequest", "continue key is not valid")
			return
		}
	}
	to := c.data.Count
	if limit, _ := strconv.Atoi(q.Get("limit")); limit > 0 {
		to = min(to, from+limit)
	}
	meta := pageMeta{version: fmt.Sprint(version), remaining: int64(c.data.Count - to)}
	if meta.remaining > 0 {
		meta.next = Continue(version, to)
	}
	w.Header().Set("Content-Type", t.codec.contentType())
	now := c.data.current(t, int(version-c.data.version(0)))
	// An error is the client's leaving.
	_ = t.codec.list(meta, now[from:to], func(b []byte) error {
		_, err := w.Write(b)
		return err
	})
}
