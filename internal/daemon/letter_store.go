package daemon

import (
	"path/filepath"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/deadletter"
)

// lettersFile is the file of the dead letters in the folder for state.
const lettersFile = "deadletters.db"

// openLetters opens the store of dead letters. A daemon with a folder for state has it on disk.
func openLetters(cfg *config.Config, running bool) (*deadletter.Store, error) {
	c := deadletter.Config{Limits: deadletter.Limits{
		MaxBytes: int64(cfg.DeadLetters.Bytes), MaxAge: cfg.DeadLetters.Age.Duration,
		WhenFull: deadletter.WhenFull(cfg.DeadLetters.WhenFull),
	}}
	if running && cfg.State.Dir != "" {
		c.Path = filepath.Join(cfg.Path(cfg.State.Dir), lettersFile)
	}
	store, err := deadletter.Open(c)
	if err != nil {
		return nil, config.Errors{cfg.ErrorAt("state.dir", "state.dir: "+err.Error(), "")}
	}
	return store, nil
}
