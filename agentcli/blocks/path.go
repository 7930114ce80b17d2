package blocks

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// MaxName is what file systems hold as one name, in bytes.
const MaxName = 255

// Path is the file of the block with this label, at the root of the repository
// (spec, section 7). The label MEMORY is the root index. An error says what is
// wrong with the label; it does not repeat it.
func Path(label string) (string, error) {
	if !utf8.ValidString(label) {
		return "", errors.New("the label is not UTF-8")
	}
	stem := strings.ReplaceAll(strings.TrimSpace(label), `\`, "/")
	stem = strings.TrimSuffix(stem, ".md")
	for _, s := range []string{stem, strings.TrimPrefix(stem, "system/")} {
		if err := checkSegments(s); err != nil {
			return "", err
		}
		stem = s
	}
	stem = strings.ReplaceAll(stem, "/", "_")
	if err := CheckName(stem); err != nil {
		return "", fmt.Errorf("the label %w", err)
	}
	path := stem + ".md"
	switch {
	case len(path) > MaxName:
		return "", fmt.Errorf("the file name would have %d bytes, and %d is the most", len(path), MaxName)
	case path != rules.Index && tree.FoldName(path) == tree.FoldName(rules.Index):
		return "", errors.New("only MEMORY, in capitals, is the root index; where case does not count this would be the same file")
	}
	return path, nil
}

// checkSegments refuses what would be a way out of the directory, were it a path.
func checkSegments(stem string) error {
	switch {
	case stem == "":
		return errors.New("the label is empty")
	case strings.HasPrefix(stem, "/"):
		return errors.New("the label is an absolute path; use a plain name")
	}
	for segment := range strings.SplitSeq(stem, "/") {
		if segment == "." || segment == ".." {
			return fmt.Errorf("the label has the path segment %q; use a plain name", segment)
		}
	}
	return nil
}

// CheckName refuses a name that some system cannot hold. Windows is the
// strictest (Microsoft, "Naming Files, Paths, and Namespaces"). The error says
// what the name does; the name itself goes before it.
func CheckName(name string) error {
	for _, r := range name {
		switch {
		case unicode.IsControl(r) || r == '\u2028' || r == '\u2029':
			return fmt.Errorf("holds the control character %U", r)
		case strings.ContainsRune(`<>:"|?*`, r):
			return fmt.Errorf("holds %q, which no file name on Windows can", r)
		}
	}
	if strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
		return errors.New("ends in a dot or space, which names on Windows lose")
	}
	// A device is a device whatever follows the first dot.
	device, _, _ := strings.Cut(name, ".")
	device = strings.ToUpper(strings.TrimRight(device, " "))
	if slices.Contains(devices, device) {
		return fmt.Errorf("names the device %s, which cannot be a file on Windows", device)
	}
	return nil
}

var devices = []string{
	"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$",
	"COM0", "COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8", "COM9", "COM¹", "COM²", "COM³",
	"LPT0", "LPT1", "LPT2", "LPT3", "LPT4", "LPT5", "LPT6", "LPT7", "LPT8", "LPT9", "LPT¹", "LPT²", "LPT³",
}
