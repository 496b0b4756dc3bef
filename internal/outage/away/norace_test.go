//go:build !race

package away

const raced = false
