package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func write(t *testing.T, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRead(t *testing.T) {
	t.Setenv("TOKEN", "hunter2")
	for _, test := range []struct {
		value Value
		want  string
	}{
		{Value{}, ""},
		{Literal("a\nb"), "a\nb"},
		{FromEnv("TOKEN"), "hunter2"},
		{FromFile(write(t, "f", "hunter2")), "hunter2"},
		{FromFile(write(t, "f", "hunter2\n")), "hunter2"},
		{FromFile(write(t, "f", "hunter2\r\n")), "hunter2"},
		{FromFile(write(t, "f", "hunter2\n\n")), "hunter2\n"},
		{FromFile(write(t, "f", " hunter2 ")), " hunter2 "},
	} {
		if got, err := test.value.Read(); err != nil || got != test.want {
			t.Errorf("%s: got %q, %v, want %q", test.value, got, err, test.want)
		}
	}
	if !(Value{}).IsZero() || Literal("a").IsZero() || FromEnv("A").IsZero() ||
		FromFile("a").IsZero() {
		t.Error("IsZero is wrong")
	}
}

func TestErrorsHaveNoText(t *testing.T) {
	t.Setenv("EMPTY", "")
	long := strings.Repeat("hunter2", MaxSize/7+1)
	t.Setenv("LONG", long)
	for _, test := range []struct {
		value Value
		want  string
	}{
		{FromEnv("EMPTY"), "the environment variable EMPTY is not set, or empty"},
		{FromEnv("LONG"), "the environment variable LONG has more than 16384 bytes"},
		{Literal(long), "a text has more than 16384 bytes"},
		{FromFile("/no/such"), "the file /no/such cannot be read: no such file or directory"},
		{FromFile(write(t, "empty", "\n")), "/empty is empty"},
		{FromFile(write(t, "long", long)), "/long has more than 16384 bytes"},
		{Literal("hunter2\nX-Other: a"), "control character"},
		{Literal("hunter2\x00"), "control character"},
		{Literal("hunter2\x7f"), "control character"},
	} {
		text, err := test.value.Header()
		if err == nil || !strings.Contains(err.Error(), test.want) || text != "" ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %q, %v, want %s", test.value, text, err, test.want)
		}
	}
}

func TestNeverPrinted(t *testing.T) {
	v := Literal("hunter2")
	path := write(t, "f", "hunter2")
	file := FromFile(path)
	if _, err := file.Read(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, nil))
	type holder struct {
		V  Value
		P  *Value
		In map[string]Value
		v  Value // of which fmt does not call the methods
	}
	for _, secret := range []Value{v, file} {
		h := holder{secret, &secret, map[string]Value{"a": secret}, secret}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&out, verb+verb+verb, secret, &secret, h)
		}
		log.Info("x", "value", secret, "in", h)
		data, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(data)
	}
	for _, text := range []string{"hunter2", "68756e74657232", "104 117"} {
		if strings.Contains(out.String(), text) {
			t.Errorf("printed: %s", &out)
		}
	}
}

func TestFileIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := write(t, "token", "one\n")
		v := FromFile(path)
		copied := v
		for _, text := range []string{"two\n", "three\n"} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			if got, err := copied.Read(); err != nil || got+"\n" != text {
				t.Errorf("got %q, %v, want %q", got, err, text)
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if got, err := v.Read(); err == nil {
			t.Errorf("%q of a file that is gone", got)
		}
	})
}
