//go:build !linux && !darwin

package models

import "errors"

// clone is not known here.
func clone(_, _ string) error { return errors.ErrUnsupported }
