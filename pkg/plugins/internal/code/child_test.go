package code

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// jobs are what children of these tests do, by the first word of their input.
var jobs = map[string]func(dir, rest string) error{
	"write": func(dir, rest string) error {
		return os.WriteFile(filepath.Join(dir, "out"), []byte(rest), 0o600)
	},
	"fail":  func(_, rest string) error { return errors.New(rest) },
	"panic": func(_, rest string) error { panic(rest) },
	"full":  func(string, string) error { panic(os.NewSyscallError("mmap", syscall.ENOMEM)) },
	"exit":  func(_, rest string) error { fmt.Fprintln(os.Stderr, rest); os.Exit(9); return nil },
	"spin":  func(string, string) error { select {} },
	"burn": func(string, string) error {
		for n := 0; ; n++ {
			_ = n
		}
	},
	"eat": func(string, string) error {
		var all [][]byte
		for {
			one := make([]byte, 1<<20)
			for i := range one {
				one[i] = byte(i)
			}
			all = append(all, one)
			_ = all
		}
	},
	"env": func(string, string) error {
		open, _ := os.ReadDir("/proc/self/fd")
		return fmt.Errorf("%d variables, %v", len(os.Environ()), len(open) < 12)
	},
}

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "serve" {
		os.Exit(serveJob(os.Stdin, os.Stdout, func(dir string, input []byte) error {
			word, rest, _ := strings.Cut(string(input), " ")
			return jobs[word](dir, rest)
		}))
	}
	goleak.VerifyTestMain(m)
}

func command(t *testing.T) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{self, "serve"}
}

func TestRun(t *testing.T) {
	t.Setenv("SECRET", "x")
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	plenty := compileJob{Dir: dir, Time: time.Hour, Memory: 1 << 30}
	few := func(time time.Duration, memory int64) compileJob {
		return compileJob{Dir: dir, Time: time, Memory: memory}
	}
	large := strings.Repeat("x", 1<<20)
	for _, test := range []struct {
		input string
		job   compileJob
		want  string
	}{
		{"write " + large, plenty, ""},
		{"fail no", plenty, "no"},
		{"fail " + large, plenty, "xxx"},
		{"panic at once", plenty, "the compiler panics: at once"},
		{"exit words", plenty, `the process that compiles: exit status 9: "words"`},
		{"full", plenty, "it takes more than 1024 MiB of memory to compile"},
		{"env", plenty, "0 variables, true"},
		{"burn", few(50*time.Millisecond, 1<<30),
			"it takes more than 50ms of processor time to compile"},
		// To start takes processor time as well, some 100 ms with the race detector.
		{"spin", few(400*time.Millisecond, 1<<30), "it takes longer than 4s to compile"},
		{"eat", few(time.Hour, 64<<20), "it takes more than 64 MiB of memory to compile"},
	} {
		_, err := runJob(t.Context(), command(t), test.job, []byte(test.input))
		if test.want == "" && err != nil || test.want != "" &&
			(err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%.20s: got %.200v, want %s", test.input, err, test.want)
		}
	}
	if out, err := os.ReadFile(filepath.Join(dir, "out")); err != nil || string(out) != large {
		t.Errorf("%d bytes were written, %v", len(out), err)
	}
	if _, err := runJob(t.Context(), command(t), compileJob{Dir: filepath.Join(dir, "none"),
		Time: time.Hour, Memory: 1 << 30}, []byte("fail")); err == nil {
		t.Error("a folder that is not there will do")
	}
}

// A folder that cannot be written to is distinguished from what is wrong with the input.
func TestTheFolderIsToBlame(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "out"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := runJob(t.Context(), command(t), compileJob{Dir: dir, Time: time.Hour, Memory: 1 << 30},
		[]byte("write x"))
	if !errors.Is(err, errFolder) {
		t.Errorf("got %v", err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := runJob(ctx, command(t), compileJob{Dir: t.TempDir(), Time: time.Hour, Memory: 1 << 30},
		[]byte("spin")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// A child whose parent is gone ends, since its standard input does.
func TestAChildEndsWithItsParent(t *testing.T) {
	words := command(t)
	child := exec.Command(words[0], words[1:]...)
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	job := compileJob{Dir: t.TempDir(), Size: 4, Time: time.Hour, Memory: 1 << 30}
	if err := errors.Join(writeHeader(stdin, job), write(stdin, "spin"),
		stdin.Close()); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := child.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitBroken {
		t.Errorf("it ended with %v", err)
	}
}

func write(w interface{ Write([]byte) (int, error) }, text string) error {
	_, err := w.Write([]byte(text))
	return err
}
