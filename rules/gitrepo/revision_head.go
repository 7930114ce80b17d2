package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/memls/memls/rules/tree"
)

// headCommit is the commit that HEAD stands for, "" on a branch without any.
func (r *Repo) headCommit(ctx context.Context) (tree.OID, error) {
	oid, err := r.headFromFiles()
	if err != nil {
		return "", fmt.Errorf("cannot read HEAD: %w", err)
	}
	if oid != "" {
		return oid, nil
	}
	// Either there is no commit, or the refs are kept in a way that only
	// git reads.
	out, err := r.Run(ctx, nil, "rev-parse", "-q", "--verify", "HEAD")
	if err == nil {
		return tree.ParseOID(strings.TrimSuffix(string(out), "\n"))
	}
	var git *GitError
	if ctx.Err() == nil && errors.As(err, &git) && git.Stderr == "" && git.kind == nil {
		// A branch that does not exist yet still has a name.
		if _, nameErr := r.Run(ctx, nil, "symbolic-ref", "-q", "HEAD"); nameErr == nil {
			return "", nil
		}
	}
	return "", fmt.Errorf("cannot read HEAD: %w", err)
}

// headFromFiles reads HEAD and the branch it names without a git process. It
// returns "" when it does not find the branch, or is not sure of the format.
// A branch file that holds anything else than an id is an error here,
// because git passes over it as if the branch were new.
func (r *Repo) headFromFiles() (tree.OID, error) {
	head := filepath.Join(r.GitDir, "HEAD")
	if info, err := os.Lstat(head); err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	text, err := readSmall(head)
	if err != nil {
		return "", err
	}
	name, symbolic := bytes.CutPrefix(text, []byte("ref:"))
	if !symbolic {
		return r.parseRef(head, text)
	}
	ref := string(bytes.TrimSpace(name))
	if !strings.HasPrefix(ref, "refs/heads/") || !filepath.IsLocal(ref) || isDirectory(filepath.Join(r.CommonDir, "reftable")) {
		return "", nil
	}
	file := filepath.Join(r.CommonDir, filepath.FromSlash(ref))
	switch text, err = readSmall(file); {
	case err == nil && bytes.HasPrefix(text, []byte("ref:")):
		return "", nil
	case err == nil:
		return r.parseRef(file, text)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ENOTDIR):
		return r.packedRef(ref)
	}
	return "", err
}

func (r *Repo) parseRef(file string, text []byte) (tree.OID, error) {
	oid, err := tree.ParseOID(string(bytes.TrimSpace(text)))
	if err == nil && len(oid) != r.OIDSize {
		err = fmt.Errorf("it has the length of another hash")
	}
	if err != nil {
		return "", fmt.Errorf("%s is damaged: %w; restore it from the reflog (git reflog)", file, err)
	}
	return oid, nil
}

// packedRef looks a ref up in packed-refs: lines "oid SP ref".
func (r *Repo) packedRef(ref string) (tree.OID, error) {
	file := filepath.Join(r.CommonDir, "packed-refs")
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	i := bytes.Index(text, []byte(" "+ref+"\n"))
	if i < 0 {
		return "", nil
	}
	return r.parseRef(file, text[bytes.LastIndexByte(text[:i], '\n')+1:i])
}
