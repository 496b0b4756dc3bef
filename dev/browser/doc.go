// Package browser tests the status page in a real browser, against informerd on a real control
// plane: that it shows what there is, that everything works by keyboard, that axe-core finds
// nothing in it, and what it costs with 300 listeners. "make browser" builds and installs what that
// needs. It is a module of its own, so that nobody else depends on a browser.
package browser
