package deadletter

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// filled returns the bytes of a file with letters of several sizes, and all letters that it has had.
func filled(t testing.TB) ([]byte, map[string]Letter) {
	t.Helper()
	cfg := Config{Path: file(t)}
	s := open(t, cfg)
	written := map[string]Letter{}
	for i := range 60 {
		l := letter("a", i)
		l.Object = []byte(`"` + strings.Repeat("x", i*i*3) + `"`)
		put(t, s, l)
		all := list(t, s, Query{})
		written[all[len(all)-1].ID] = all[len(all)-1]
		if i%3 == 0 {
			if _, err := s.Delete(list(t, s, Query{Limit: 1})[0].ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.Listener("pods").Delivered(Delivery{Output: "hook", Resource: "pods", Namespace: "default",
		Name: "a", ResourceVersion: "59"})
	s = restart(t, s, cfg)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(cfg.Path)
	if err != nil {
		t.Fatal(err)
	}
	return b, written
}

const advice = "; move it away, or put a copy in its place"

// Whatever is wrong with a file: it is refused and left as it is, or each letter that it has is as
// it was written.
func TestDamagedFile(t *testing.T) {
	good, written := filled(t)
	path := file(t)
	refused := 0
	try := func(name string, bad []byte) {
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(Config{Path: path})
		if err != nil {
			refused++
			left, _ := os.ReadFile(path)
			if !strings.HasPrefix(err.Error(), "dead letters: "+path+": the file is damaged: ") ||
				!strings.HasSuffix(err.Error(), advice) || !bytes.Equal(left, bad) {
				t.Fatalf("%s: %v", name, err)
			}
			return
		}
		for _, l := range list(t, s, Query{}) {
			l.Superseded = false
			if !reflect.DeepEqual(l, written[l.ID]) {
				t.Fatalf("%s: it opens with another letter: %v", name, l)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	const places = 120
	for n := range places {
		at := (len(good)-1)*n/places/8*8 + n%8
		bad := bytes.Clone(good)
		bad[at] ^= 1 << (n % 8)
		try(fmt.Sprintf("bit %d of byte %d", n%8, at), bad)
	}
	for at := 0; at < 160; at += 3 { // the heads
		bad := bytes.Clone(good)
		bad[at%80+at/80*4096] ^= 1 << (at % 8)
		try(fmt.Sprint("byte of a head ", at), bad)
	}
	for n := range 20 {
		try(fmt.Sprint("cut off ", n), good[:1+(len(good)-2)*n/20])
	}
	t.Logf("%d were refused", refused)
	if refused < 50 {
		t.Error("too few were refused")
	}
	try("whole", good)
	if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Config{Path: path}); err == nil ||
		err.Error() != "dead letters: "+path+": the file is damaged: invalid database"+advice {
		t.Errorf("got %v", err)
	}
}

func TestOpenErrors(t *testing.T) {
	path := file(t)
	open(t, Config{Path: path})
	for _, test := range []struct{ path, want string }{
		{path, "dead letters: " + path + ": another process uses it"},
		{"/nowhere/x.db", "dead letters: open /nowhere/x.db: no such file or directory"},
	} {
		if _, err := Open(Config{Path: test.path}); err == nil || err.Error() != test.want {
			t.Errorf("got %v", err)
		}
	}
}

// A letter that is damaged while the store is open is an error in a list, and the others are not.
func TestDamagedLetter(t *testing.T) {
	s := open(t, Config{})
	put(t, s, letter("a", 1), letter("b", 2), letter("c", 3))
	id := list(t, s, Query{})[1].ID
	s.mu.Lock()
	s.findLocked(id).record[40] ^= 1
	s.mu.Unlock()
	text := ""
	for l, err := range s.List(context.Background(), Query{}) {
		if err != nil {
			text += strings.ReplaceAll(err.Error(), l.ID, "ID") + " "
			continue
		}
		text += l.Name + " "
	}
	if text != "a dead letter ID cannot be read: it is not what was written c " {
		t.Errorf("got %s", text)
	}
	if n, err := s.Delete(id); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// Letters with odd texts come back as they are, as far as they are JSON (but for spaces), and as JSON
// otherwise.
func TestOddLetters(t *testing.T) {
	both(t, func(t *testing.T, cfg Config) {
		s := open(t, cfg)
		odd := letter("a\x00\xff\u2028", 1)
		odd.Object, odd.Old, odd.Message = []byte("{"), []byte("\xff\x00"), []byte(" [1] ")
		odd.Error = strings.Repeat("é", maxError)
		put(t, s, odd)
		size := sizeOf(t, odd)
		got := list(t, s, Query{})[0]
		if string(got.Object) != `"{"` || string(got.Old) != `"\ufffd\u0000"` ||
			string(got.Message) != "[1]" || len(got.Error) != maxError ||
			got.Name != "a\x00\ufffd\u2028" {
			t.Errorf("%+v", got)
		}
		if _, err := json.Marshal(got); err != nil {
			t.Error(err)
		}
		odd.First = odd.First.AddDate(10000, 0, 0)
		if _, err := s.Put(t.Context(), odd); err == nil ||
			!strings.HasPrefix(err.Error(), "the dead letter cannot be written: ") {
			t.Errorf("got %v", err)
		}
		if st := s.Stats(); st.Letters != 1 || st.Bytes != size {
			t.Errorf("%+v", st)
		}
	})
}

func FuzzRecord(f *testing.F) {
	l := letter("a", 1)
	record, err := newRecord(&l)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(record)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, record []byte) {
		if len(record) >= recordHead { // the checksum alone would refuse all
			record = bytes.Clone(record)
			little.PutUint32(record, recordSum(7, record))
		}
		l, err := parseRecord(7, record, false)
		if err != nil {
			return
		}
		again, err := newRecord(&l)
		if err != nil {
			return // a time that JSON has no form for
		}
		seal(again, 7, l.Stored.UnixNano())
		if same, err := parseRecord(7, again, false); err != nil {
			t.Errorf("%+v: %+v, %v", l, same, err)
		}
	})
}
