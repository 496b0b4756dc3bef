package statefolder

import (
	"errors"
	"fmt"
	"os"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
)

// SpillDir returns the folder in which a listener's buffer writes what it has no room for: the one
// that is configured, or that for temporary files, or else the one for state. An image need not
// have a folder for temporary files. It is empty for a buffer that writes nothing.
func SpillDir(cfg *config.Config, l *config.Listener) (string, error) {
	if l.Buffer.Overflow != config.OverflowSpill {
		return "", nil
	}
	if l.Buffer.Spill != nil && l.Buffer.Spill.Dir != "" {
		dir := cfg.Path(l.Buffer.Spill.Dir)
		if err := writable(dir); err != nil {
			return "", fmt.Errorf("nothing can be written to the folder spill.dir: %w", err)
		}
		return dir, nil
	}
	temporary := writable(os.TempDir())
	if temporary == nil {
		return os.TempDir(), nil
	}
	if cfg.State.Dir == "" {
		return "", fmt.Errorf("there is no folder for overflow spill to write to: %w; "+
			"set buffer.spill.dir or state.dir, or mount a volume such as an emptyDir at %s",
			temporary, os.TempDir())
	}
	if err := writable(cfg.Path(cfg.State.Dir)); err != nil {
		return "", fmt.Errorf("there is no folder for overflow spill to write to: %w",
			errors.Join(temporary, err))
	}
	return cfg.Path(cfg.State.Dir), nil
}

// writable makes a file in a folder and removes it.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, "informerd-spill-*")
	if err != nil {
		return fmt.Errorf("%s: %s", dir, document.Reason(err))
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
