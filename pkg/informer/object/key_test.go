package object

import "testing"

func TestKeyString(t *testing.T) {
	if got := (Key{"shop", "web"}).String(); got != "shop/web" {
		t.Error(got)
	}
	if got := (Key{"", "n1"}).String(); got != "n1" {
		t.Error(got)
	}
}
