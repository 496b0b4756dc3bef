// Package leasetest simulates an API server of Leases and ConfigMaps in tests, without a network:
// so it works in the bubbles of testing/synctest. It has resourceVersions, and refuses updates of
// older ones, as deletes with such a precondition.
package leasetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/informerd/informerd/internal/watchlog"
)

// Server keeps objects. It is safe for concurrent use; make one with New.
type Server struct {
	mu      sync.Mutex
	version int
	objects map[string]fields        // by path
	logs    map[string]*watchlog.Log // of watches of one object
	writes  map[string]int
}

// fields are those of an object.
type fields map[string]any

// New returns a server without objects.
func New() *Server {
	return &Server{version: 1, objects: map[string]fields{}, logs: map[string]*watchlog.Log{},
		writes: map[string]int{}}
}

// Writes returns how often an object was created or changed.
func (s *Server) Writes(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes[path]
}

// Object returns an object as JSON, "" if there is none.
func (s *Server) Object(path string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.objects[path] == nil {
		return ""
	}
	return encode(s.objects[path])
}

// Put creates or updates an object, written in JSON.
func (s *Server) Put(path, text string) {
	var o fields
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.objects[path]
	if now != nil {
		metadata(o)["resourceVersion"] = metadata(now)["resourceVersion"]
	}
	s.put(path, o, now != nil)
}

// Delete deletes an object.
func (s *Server) Delete(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delete(path)
}

func (s *Server) delete(path string) {
	s.version++
	s.logOf(path).Add(s.version, frame("DELETED", s.objects[path]))
	delete(s.objects, path)
}

// Paths returns where there are objects, in order.
func (s *Server) Paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.objects))
}

// Drop ends all watches.
func (s *Server) Drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, log := range s.logs {
		log.Cut()
	}
}

func (s *Server) logOf(path string) *watchlog.Log {
	if s.logs[path] == nil {
		s.logs[path] = watchlog.New()
	}
	return s.logs[path]
}

// serve answers a request.
func (s *Server) serve(r *http.Request) *http.Response {
	s.mu.Lock()
	defer s.mu.Unlock()
	query := r.URL.Query()
	_, name, one := strings.Cut(query.Get("fieldSelector"), "metadata.name=")
	switch r.Method {
	case http.MethodPost:
		o := read(r)
		return s.put(path.Join(r.URL.Path, metadata(o)["name"].(string)), o, false)
	case http.MethodPut:
		return s.put(r.URL.Path, read(r), true)
	case http.MethodDelete:
		return s.remove(r.URL.Path, read(r))
	}
	switch {
	case one && query.Get("watch") != "":
		from, _ := strconv.Atoi(query.Get("resourceVersion"))
		log := s.logOf(path.Join(r.URL.Path, name))
		return answer(http.StatusOK, log.Watch(r.Context(), from, ""))
	case one:
		items := []fields{}
		if o := s.objects[path.Join(r.URL.Path, name)]; o != nil {
			items = append(items, o)
		}
		return s.list(items)
	case query.Has("labelSelector"):
		return s.list(s.labelled(r.URL.Path, query.Get("labelSelector")))
	}
	o := s.objects[r.URL.Path]
	if o == nil {
		return Refusal(http.StatusNotFound, "NotFound")
	}
	return text(http.StatusOK, encode(o))
}

func (s *Server) list(items []fields) *http.Response {
	return text(http.StatusOK, encode(fields{
		"metadata": fields{"resourceVersion": strconv.Itoa(s.version)}, "items": items}))
}

// labelled returns the objects of a folder that have a label, by name.
func (s *Server) labelled(folder, selector string) []fields {
	key, value, _ := strings.Cut(selector, "=")
	items := []fields{}
	for _, at := range slices.Sorted(maps.Keys(s.objects)) {
		labels, _ := metadata(s.objects[at])["labels"].(map[string]any)
		if path.Dir(at) == folder && labels[key] == value {
			items = append(items, s.objects[at])
		}
	}
	return items
}

// remove deletes an object that is as the preconditions of the options say.
func (s *Server) remove(path string, options fields) *http.Response {
	now := s.objects[path]
	if now == nil {
		return Refusal(http.StatusNotFound, "NotFound")
	}
	conditions, _ := options["preconditions"].(map[string]any)
	for field, want := range conditions {
		if metadata(now)[field] != want {
			return Refusal(http.StatusConflict, "Conflict")
		}
	}
	s.delete(path)
	return text(http.StatusOK, `{"kind":"Status","apiVersion":"v1","status":"Success"}`)
}

// put writes an object that has to be there already, or not.
func (s *Server) put(path string, o fields, exists bool) *http.Response {
	now := s.objects[path]
	switch {
	case !exists && now != nil:
		return Refusal(http.StatusConflict, "AlreadyExists")
	case exists && now == nil:
		return Refusal(http.StatusNotFound, "NotFound")
	case exists && metadata(now)["resourceVersion"] != metadata(o)["resourceVersion"]:
		return Refusal(http.StatusConflict, "Conflict")
	}
	s.version++
	s.writes[path]++
	metadata(o)["resourceVersion"] = strconv.Itoa(s.version)
	if exists {
		metadata(o)["uid"] = metadata(now)["uid"]
	} else {
		metadata(o)["uid"] = fmt.Sprint("uid", s.version)
	}
	s.objects[path] = o
	kind := "ADDED"
	if exists {
		kind = "MODIFIED"
	}
	s.logOf(path).Add(s.version, frame(kind, o))
	return text(http.StatusOK, encode(o))
}

func metadata(o fields) fields { return o["metadata"].(map[string]any) }

func frame(kind string, o fields) string { return encode(fields{"type": kind, "object": o}) + "\n" }

func read(r *http.Request) (o fields) {
	if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
		panic(err)
	}
	return o
}

func encode(o fields) string {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// Refusal returns an answer with which an API server refuses a request.
func Refusal(code int, reason string) *http.Response {
	return text(code, fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure",`+
		`"reason":%q,"code":%d,"message":"refused: %s"}`, reason, code, reason))
}

func text(code int, body string) *http.Response {
	return answer(code, io.NopCloser(bytes.NewBufferString(body)))
}

func answer(code int, body io.ReadCloser) *http.Response {
	return &http.Response{StatusCode: code, Body: body,
		Header: http.Header{"Content-Type": {"application/json"}}}
}
