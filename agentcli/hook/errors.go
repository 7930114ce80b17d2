package hook

import "errors"

// The kinds of failure a caller may want to tell apart with [errors.Is], beside
// those of package gitrepo. The text shown to people is that of the [Error]
// around them.
var (
	// ErrForeignHook: another tool's hook is in the way, and neither Chain nor
	// Force was given. Nothing was changed.
	ErrForeignHook = errors.New("foreign hook")
	// ErrSharedHooks: the hooks folder serves other repositories too, and Force
	// was not given. Nothing was changed.
	ErrSharedHooks = errors.New("shared hooks folder")
	// ErrHooksDir: git's hooks folder cannot hold hooks (core.hooksPath is
	// /dev/null, say).
	ErrHooksDir = errors.New("unusable hooks folder")
	// ErrPolicy: the policy asked for is none of [Policies].
	ErrPolicy = errors.New("unknown policy")
	// ErrBinary: there is no memhook executable to put into the hook.
	ErrBinary = errors.New("no memhook binary")
	// ErrBusy: another install or uninstall held the lock for too long.
	ErrBusy = errors.New("locked")
)

// An Error says in words for people what stopped the work and what to do.
type Error struct {
	// Kind is one of the Err values of this package.
	Kind error
	// Message is the whole text; it needs no prefix.
	Message string
	// Paths names the files in the way, for ErrForeignHook only.
	Paths []string
}

func (e *Error) Error() string { return e.Message }

// Unwrap lets errors.Is find the kind.
func (e *Error) Unwrap() error { return e.Kind }
