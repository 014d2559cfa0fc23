package models

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Home returns the data folder of the program, as the package comment says. It
// does not create it.
func Home() (string, error) {
	if dir := os.Getenv("WINDOWSEAT_HOME"); dir != "" {
		return absolute(dir)
	}
	if dir := os.Getenv("FILESDIR"); runtime.GOOS == "android" && dir != "" {
		return filepath.Join(dir, "windowseat"), nil
	}
	switch runtime.GOOS {
	case "windows":
		if dir := os.Getenv("LOCALAPPDATA"); dir != "" {
			return filepath.Join(dir, "windowseat"), nil
		}
	case "darwin", "ios":
	default:
		if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
			return filepath.Join(dir, "windowseat"), nil
		}
		home, err := os.UserHomeDir()
		if err != nil {
			return "", errors.New("models: no home folder: set WINDOWSEAT_HOME to a folder for models and data")
		}
		return filepath.Join(home, ".local", "share", "windowseat"), nil
	}
	dir, err := os.UserConfigDir() // ~/Library/Application Support, %AppData%
	if err != nil {
		return "", errors.New("models: no data folder: set WINDOWSEAT_HOME to a folder for models and data")
	}
	return filepath.Join(dir, "windowseat"), nil
}

// extraFolders are the folders of WINDOWSEAT_MODELS.
func extraFolders() []string {
	var dirs []string
	for _, dir := range filepath.SplitList(os.Getenv("WINDOWSEAT_MODELS")) {
		if dir != "" {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func absolute(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("models: %w", err)
	}
	return abs, nil
}
