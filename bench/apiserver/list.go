package apiserver

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// writeSize is how much of a list goes to the client in one write.
const writeSize = 64 << 10

// Continue returns the token of the page that starts with the given item, for clients that do not
// read it from the previous page.
func Continue(version uint64, item int) string { return fmt.Sprintf("%d-%d", version, item) }

// list responds with a page, or with the whole list if there is no limit.
func (c *collection) list(w http.ResponseWriter, r *http.Request) {
	c.changes.listed()
	q := r.URL.Query()
	if q.Get("sendInitialEvents") != "" {
		refuse(w, http.StatusUnprocessableEntity, "Invalid",
			"sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list")
		return
	}
	t := c.texts(r)
	version, from := c.newest(), 0
	p, err := c.part(q.Get("labelSelector"))
	if err != nil {
		refuse(w, http.StatusBadRequest, "BadRequest", err.Error())
		return
	}
	if token := q.Get("continue"); token != "" {
		version, from, err = c.continued(token)
	}
	var now [][]byte
	if err == nil {
		now = p.of(c.data.current(t, int(version-c.data.version(0))))
	}
	if err != nil || from > len(now) {
		refuse(w, http.StatusBadRequest, "BadRequest", "continue key is not valid")
		return
	}
	to := len(now)
	if limit, _ := strconv.Atoi(q.Get("limit")); limit > 0 {
		to = min(to, from+limit)
	}
	meta := pageMeta{version: fmt.Sprint(version), remaining: int64(len(now) - to)}
	if meta.remaining > 0 {
		meta.next = Continue(version, to)
	}
	w.Header().Set("Content-Type", t.codec.contentType())
	// An error means that the client has disconnected.
	_ = t.codec.list(meta, now[from:to], func(b []byte) error {
		_, err := w.Write(b)
		return err
	})
}

// continued parses a token of Continue.
func (c *collection) continued(token string) (version uint64, from int, err error) {
	v, item, _ := strings.Cut(token, "-")
	if version, err = strconv.ParseUint(v, 10, 64); err != nil {
		return 0, 0, err
	}
	if version < c.data.version(0) || version > c.newest() {
		return 0, 0, fmt.Errorf("there is no version %d", version)
	}
	n, err := strconv.ParseUint(item, 10, 31)
	return version, int(n), err
}
