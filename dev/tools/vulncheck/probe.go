package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// unreachableError means that nothing is known about the database, because it cannot be reached.
type unreachableError struct {
	database string
	err      error
}

func (e *unreachableError) Error() string {
	return fmt.Sprintf("the vulnerability database %s cannot be reached: %v", e.database, e.err)
}

func (e *unreachableError) Unwrap() error { return e.err }

// patience is how long the database may take to answer.
const patience = 15 * time.Second

// probe reads the index file of the database. A database on disk is checked by govulncheck itself.
func probe(ctx context.Context, database string) error {
	if !strings.HasPrefix(database, "http://") && !strings.HasPrefix(database, "https://") {
		return nil
	}
	packed, err := get(ctx, database, database+"/index/db.json.gz")
	if err != nil {
		return err
	}
	var index struct{ Modified time.Time }
	text, err := gzip.NewReader(bytes.NewReader(packed))
	if err == nil {
		err = json.NewDecoder(text).Decode(&index)
	}
	if err != nil || index.Modified.IsZero() {
		return fmt.Errorf("%s is not a vulnerability database: its index/db.json.gz has no time of change", database)
	}
	return nil
}

func get(ctx context.Context, database, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, &unreachableError{database, err}
	}
	defer resp.Body.Close()
	switch s := resp.StatusCode; {
	case s == http.StatusOK:
	case s == http.StatusForbidden || s == http.StatusProxyAuthRequired ||
		s == http.StatusTooManyRequests || s >= 500:
		// A proxy or a firewall on the way, or a failing server.
		return nil, &unreachableError{database, fmt.Errorf("%s: %s", address, resp.Status)}
	default:
		return nil, fmt.Errorf("%s is not a vulnerability database: %s: %s", database, address,
			resp.Status)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return nil, &unreachableError{database, err}
	}
	return text, nil
}
