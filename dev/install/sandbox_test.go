package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// sandbox is a container as a runtime starts it: in mount and network namespaces of its own, with
// nothing but its root and volumes, as the user of the pod. The test program is started once more
// to make it.
type sandbox struct {
	Root     string
	Hostname string
	Mounts   []mount // in this order
	Args     []string
	Env      []string
	UID, GID uint32
	Groups   []uint32
	// In reaches ports of the container from outside, Out ports of the machine's loopback address
	// from inside. The values are paths of Unix sockets, which know no network namespaces.
	In, Out map[int]string
	PIDFile string
}

type mount struct {
	From, To string
	ReadOnly bool
}

// asSandbox is the variable with the sandbox as JSON.
const asSandbox = "INSTALL_SANDBOX"

// runSandbox returns the exit code of the container.
func runSandbox() int {
	code, err := makeSandbox(os.Getenv(asSandbox))
	if err != nil {
		fmt.Fprintln(os.Stderr, "sandbox:", err)
		return 125
	}
	return code
}

func makeSandbox(text string) (int, error) {
	s := &sandbox{}
	if err := json.Unmarshal([]byte(text), s); err != nil {
		return 0, err
	}
	hostname := unix.Sethostname([]byte(s.Hostname))
	if err := errors.Join(hostname, s.mount(), loopbackUp()); err != nil {
		return 0, err
	}
	for port, socket := range s.Out {
		if err := forward("tcp", fmt.Sprint("127.0.0.1:", port), "unix", socket); err != nil {
			return 0, err
		}
	}
	for port, socket := range s.In {
		if err := forward("unix", socket, "tcp", fmt.Sprint("127.0.0.1:", port)); err != nil {
			return 0, err
		}
	}
	cmd := exec.Command("/informerd", s.Args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = s.Env, "/", os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: s.Root,
		Credential: &syscall.Credential{Uid: s.UID, Gid: s.GID, Groups: s.Groups}}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s)
		}
	}()
	if err := writeWhole(s.PIDFile, []byte(strconv.Itoa(cmd.Process.Pid))); err != nil {
		return 0, err
	}
	if err := cmd.Wait(); cmd.ProcessState == nil {
		return 0, err
	}
	return cmd.ProcessState.ExitCode(), nil
}

func (s *sandbox) mount() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	bind := func(m mount) error {
		if err := unix.Mount(m.From, m.To, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("mount %s at %s: %w", m.From, m.To, err)
		}
		if !m.ReadOnly {
			return nil
		}
		return unix.Mount("", m.To, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, "")
	}
	if err := bind(mount{From: s.Root, To: s.Root}); err != nil {
		return err
	}
	for _, m := range s.Mounts {
		m.To = filepath.Join(s.Root, m.To)
		if err := bind(m); err != nil {
			return err
		}
	}
	if err := unix.Mount("proc", filepath.Join(s.Root, "proc"), "proc", 0, ""); err != nil {
		return err
	}
	return unix.Mount("", s.Root, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, "")
}

// loopbackUp brings up the loopback device, which a new network namespace has down.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
}

// forward accepts connections and connects each to another address, until the process ends.
func forward(network, address, toNetwork, to string) error {
	l, err := net.Listen(network, address)
	if err != nil {
		return err
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				other, err := net.Dial(toNetwork, to)
				if err != nil {
					return
				}
				defer other.Close()
				go func() {
					_, _ = io.Copy(other, c)
					closeWrite(other)
				}()
				_, _ = io.Copy(c, other)
			}()
		}
	}()
	return nil
}

func closeWrite(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}

// writeWhole writes a file that others see as a whole or not at all.
func writeWhole(path string, data []byte) error {
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
