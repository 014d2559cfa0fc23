//go:build race

package cli_test

// raceDetector makes everything about ten times slower.
const raceDetector = true
