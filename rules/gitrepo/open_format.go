package gitrepo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// harmless are the repository extensions that do not change where or how
// the parts of a repository that we read by ourselves are stored. (Reading
// HEAD copes with any ref storage, see resolveHead.)
var harmless = map[string]bool{
	"noop": true, "noop-v1": true, "partialclone": true, "preciousobjects": true,
	"relativeworktrees": true, "refstorage": true,
}

// plainFormat decides from the text of the configuration whether the
// repository is one that can be opened by its files alone, and how long its
// object ids are. It does not interpret the configuration (go-git's reader
// would, at three times the cost of the hook's whole start): any line that
// could mean more than it seems makes it unsure, and git is asked.
func plainFormat(gitDir, common string) (oidSize int, sure bool) {
	text, err := readSmall(filepath.Join(common, "config"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, false
	}
	oidSize = 20
	linked := gitDir != common // git then ignores core.bare and core.worktree
	section, version, newFormat := "", "0", false
	for line := range strings.Lines(strings.ToLower(string(text))) {
		line = strings.TrimSpace(line)
		if strings.HasSuffix(line, `\`) {
			return 0, false
		}
		if strings.HasPrefix(line, "[") {
			if section = line; !strings.HasSuffix(line, "]") {
				return 0, false // a comment or a key after the section's name
			}
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case key == "" || key[0] == '#' || key[0] == ';':
		case section == "[core]" && key == "repositoryformatversion":
			version = value
		case section == "[core]" && key == "bare":
			if value != "false" && !linked {
				return 0, false
			}
		case section == "[core]" && key == "worktree":
			if !linked {
				return 0, false
			}
		case section != "[extensions]" || harmless[key]:
		case key == "worktreeconfig":
			if _, err := os.Lstat(filepath.Join(gitDir, "config.worktree")); err == nil {
				return 0, false
			}
		case key == "objectformat":
			newFormat = true
			switch value {
			case "sha1":
			case "sha256":
				oidSize = 32
			default:
				return 0, false
			}
		default:
			return 0, false
		}
	}
	return oidSize, version == "1" || version == "0" && !newFormat
}
