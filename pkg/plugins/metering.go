package plugins

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/meter"
)

// noBudget is fuel that lasts longer than any deadline.
const noBudget = math.MaxInt64

// addMeter adds what metered modules import.
func addMeter(ctx context.Context, r wazero.Runtime) error {
	tank := func(ctx context.Context) *meter.Tank { return guestOf(ctx).tank }
	if err := meter.Instantiate(ctx, r, tank); err != nil {
		return fmt.Errorf("host module %s: %w", meter.HostModule, err)
	}
	return nil
}

// fill sets the guest's fuel for a call that begins now.
func (g *guest) fill(function string, now time.Time) (budget int64) {
	budget = g.budget(function)
	g.tank.FillAt(budget, now)
	return budget
}

// budget is the fuel for one call.
func (g *guest) budget(function string) int64 {
	each, events := g.module.spec.Limits.Fuel, int64(0)
	switch function {
	case abi.ExportOnEvent:
		events = 1
	case abi.ExportOnBatch, abi.ExportStart:
		events = int64(len(g.batch.events))
	}
	if each == 0 || events == 0 || each > noBudget/events {
		return noBudget
	}
	return each * events
}

// used is the fuel of the last call.
func (g *guest) used() int64 { return g.tank.Used() }

// spent tells whether a call ended for want of fuel.
func spent(err error) bool { return errors.Is(err, meter.ErrSpent) }
