package admin

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

func TestOtherUsersAreRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	dir, err := os.MkdirTemp("/tmp", "informerd-admin-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	serve(t, dir, Functions{Reload: func(context.Context) (Changes, error) { return nil, nil }})
	// As if an administrator had opened both to everybody.
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir+"/"+socketName, 0o777); err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/test", program, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		user uint32
		want string
	}{
		{0, "as 0: <nil>"}, {65534, "as 65534: the running informerd does not answer: "},
	} {
		cmd := exec.CommandContext(t.Context(), dir+"/test")
		cmd.Env, cmd.Dir = []string{"ADMIN_TEST_DIAL=" + dir}, dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: test.user,
			Gid: test.user}}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), test.want) {
			t.Errorf("%v: %s", err, out)
		}
	}
	for _, test := range []struct {
		user, daemon int
		allowed      bool
	}{{0, 5, true}, {5, 5, true}, {6, 5, false}, {6, 0, false}} {
		if (checkUser(test.user, test.daemon) == nil) != test.allowed {
			t.Errorf("%+v", test)
		}
	}
}
