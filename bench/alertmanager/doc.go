// Package alertmanager is for a test of the output alertmanager with the real API of Prometheus'
// Alertmanager, in a module of its own because of the dependencies.
package alertmanager
