package condition

import (
	"errors"
	"fmt"

	"github.com/informerd/informerd/pkg/informer/object"
)

// Validate reports what is wrong with a list of conditions, and in which of them.
func Validate(list []Condition) error {
	return validateAll(list, false)
}

func validateAll(list []Condition, items bool) error {
	for i := range list {
		if err := list[i].validate(items); err != nil {
			return fmt.Errorf("condition %d, %s: %w", i+1, list[i], err)
		}
	}
	return nil
}

func (c *Condition) validate(item bool) error {
	switch {
	case c.Of > OfAlternatives:
		return errors.New("there is no such subject")
	case c.Of == OfAlternatives:
		return c.validateAlternatives(item)
	case c.Test >= tests:
		return errors.New("there is no such test")
	case c.Of == OfItem && !item:
		return errors.New("it is not a condition on an item of a list")
	case c.Of == OfItem && c.Old:
		return errors.New("an item has no state before")
	case c.Of == OfLabel && c.Key == "":
		return errors.New("the label's key is missing")
	case (c.Of < OfLabel || c.Of == OfOp) && c.Key != "":
		return errors.New("a key is for labels and fields alone")
	case c.Of == OfOp && c.Test != In:
		return errors.New("an op can only be in a set")
	case item && (c.Test == Any || c.Test == Every):
		return errors.New("the items of a list within a list are not looked at")
	case c.Of < OfLabel && (c.Test == Exists || c.Test == NotExists):
		return errors.New("only labels and fields may exist or not")
	}
	if c.Of == OfField || c.Of == OfItem && c.Key != "" {
		if _, err := object.CompilePath(c.Key); err != nil {
			return err
		}
	}
	return c.validateTest()
}

func (c *Condition) validateAlternatives(item bool) error {
	for i, list := range c.Either {
		if err := validateAll(list, item); err != nil {
			return fmt.Errorf("alternative %d: %w", i+1, err)
		}
	}
	return nil
}

// validateTest checks the test against the subject and the number of values.
func (c *Condition) validateTest() error {
	texts, numbers := len(c.Values), len(c.Numbers)
	switch c.Test {
	case In, NotIn:
		return nil
	case Exists, NotExists, True, NotTrue, Differs, NotDiffers, Any, Every:
		if texts+numbers+len(c.Bools) > 0 {
			return errors.New("this test has nothing to do with values")
		}
	case Less, NotLess, AtMost, NotAtMost, More, NotMore, AtLeast, NotAtLeast:
		if texts+numbers != 1 || len(c.Bools) > 0 {
			return errors.New("it takes one text or one number")
		}
	default:
		if texts != 1 || numbers+len(c.Bools) > 0 {
			return errors.New("it takes one text")
		}
	}
	switch {
	case c.Of != OfField && (c.Test >= Differs || c.Test == Has || c.Test == NotHas):
		return errors.New("this test is for fields alone")
	case c.Old && (c.Test == Differs || c.Test == NotDiffers):
		return errors.New("this test compares with the old state already")
	}
	return validateAll(c.Items, true)
}
