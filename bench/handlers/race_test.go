//go:build race

package handlers

const race = true
