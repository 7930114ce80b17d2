package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/memls/memls/rules/tree"
)

// listIndex has git read the index.
func (r *Repo) listIndex(ctx context.Context) ([]IndexEntry, error) {
	out, err := r.Run(ctx, nil, "ls-files", "-s", "-z", "--full-name")
	if err != nil {
		return nil, err
	}
	entries, err := parseStaged(string(out))
	if err != nil {
		return nil, err
	}
	return entries, r.markIntentToAdd(ctx, entries)
}

// parseStaged reads the records "mode SP oid SP stage TAB path NUL".
func parseStaged(out string) ([]IndexEntry, error) {
	entries := make([]IndexEntry, 0, strings.Count(out, "\x00"))
	for out != "" {
		record, rest, _ := strings.Cut(out, "\x00")
		e, err := parseStagedRecord(record)
		if err != nil {
			return nil, fmt.Errorf("git ls-files: cannot make sense of %q: %w", record, err)
		}
		entries = append(entries, e)
		out = rest
	}
	return entries, nil
}

func parseStagedRecord(record string) (e IndexEntry, err error) {
	meta, path, ok := strings.Cut(record, "\t")
	fields := strings.Split(meta, " ")
	if !ok || len(fields) != 3 {
		return e, errors.New("not three fields and a path")
	}
	mode, modeErr := strconv.ParseUint(fields[0], 8, 32)
	stage, stageErr := strconv.ParseUint(fields[2], 10, 2)
	oid, oidErr := tree.ParseOID(fields[1])
	e = IndexEntry{Path: path, Mode: tree.Mode(mode), OID: oid, Stage: uint8(stage)}
	return e, errors.Join(modeErr, oidErr, stageErr)
}

// The empty tree, which every git knows without having it, by id length.
var emptyTree = map[int]string{
	20: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
	32: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}

// markIntentToAdd finds the entries of `git add -N`, which ls-files does not
// tell from empty files. A comparison of the index with nothing leaves them
// out; git is asked only when there is an empty file.
func (r *Repo) markIntentToAdd(ctx context.Context, entries []IndexEntry) error {
	empty := tree.HashBlob(nil, r.OIDSize)
	var suspects []*IndexEntry
	for i := range entries {
		if e := &entries[i]; e.Stage == 0 && e.OID == empty {
			suspects = append(suspects, e)
		}
	}
	if len(suspects) == 0 {
		return nil
	}
	out, err := r.Run(ctx, nil, "diff-index", "--cached", "--ita-invisible-in-index", "--no-renames",
		"--name-only", "-z", emptyTree[r.OIDSize], "--")
	if err != nil {
		return err
	}
	present := make(map[string]bool, len(entries))
	for path := range strings.SplitSeq(string(out), "\x00") {
		present[path] = true
	}
	for _, e := range suspects {
		e.IntentToAdd = !present[e.Path]
	}
	return nil
}
