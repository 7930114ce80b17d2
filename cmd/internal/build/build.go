// Package build says which version of memls a binary is.
package build

import "runtime/debug"

// version is set by release builds:
// -ldflags "-X github.com/memls/memls/cmd/internal/build.version=v1.2.3".
var version string

// Version is the release, else what the Go toolchain noted of the module.
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
