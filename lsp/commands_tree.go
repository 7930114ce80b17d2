package lsp

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/compile"
	"github.com/memls/memls/lsp/fileuri"
	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// treeReport is the answer of [commandTree]: every file, in path order, and
// what is found in them.
type treeReport struct {
	Root     string         `json:"root"`
	Layout   string         `json:"layout"` // v1 or v2
	Policy   string         `json:"policy"`
	Core     size           `json:"core"`
	Files    []treeFile     `json:"files"`
	Problems []treeProblems `json:"problems"`
}

// treeFile is one file. Sizes are nil where there is no text to measure.
type treeFile struct {
	URI   protocol.DocumentURI `json:"uri"`
	Path  string               `json:"path"`
	Tier  string               `json:"tier"` // for people
	Group fileGroup            `json:"group"`
	// Name and Description are what the file says of itself.
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Bytes       *int        `json:"bytes"`
	Characters  *int        `json:"characters"`
	Tokens      *int        `json:"tokens"`
	Limit       *int64      `json:"limit"`
	Level       budgetLevel `json:"level"`
}

// treeProblems are what is found in one file, which need not exist: a missing
// root index is a problem of the file that should be there.
type treeProblems struct {
	URI         protocol.DocumentURI `json:"uri"`
	Path        string               `json:"path"`
	Diagnostics wire.Diagnostics     `json:"diagnostics"`
}

// A fileGroup is where a list of the memory shows a file.
type fileGroup string

const (
	groupCore     fileGroup = "core"
	groupDeferred fileGroup = "deferred"
	groupSkills   fileGroup = "skills"
	groupOther    fileGroup = "other" // no memory: other files, and Markdown that no index leads to
)

func groupOf(view *rules.View, path string) fileGroup {
	core := rules.IsCore(path)
	if !view.V2Front {
		core = strings.HasPrefix(strings.TrimPrefix(path, "memory/"), "system/")
	}
	switch {
	case rules.InSkills(path), view.RoleOf(path) == rules.RoleSkill:
		return groupSkills
	case !rules.IsMarkdown(path):
		return groupOther
	case core:
		return groupCore
	case view.V2Front && !view.Projected(path):
		return groupOther
	}
	return groupDeferred
}

// memoryTree lists the memory with what each file costs.
func (s *Server) memoryTree(ctx context.Context, sub *subject, _ commandArg) (any, error) {
	ctx, progress := s.progress(ctx, nil, "Measuring the memory")
	defer progress.end()
	view := sub.judging.view
	report := treeReport{Root: sub.repo.git.Top, Layout: "v1", Policy: string(view.Policy), Files: []treeFile{}, Problems: []treeProblems{}}
	if view.V2 {
		report.Layout = "v2"
	}
	var err error
	if report.Core, err = coreSize(view); err != nil {
		return nil, err
	}
	total := view.Tree.Len()
	for f := range view.Tree.All() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row, err := treeRow(sub, f)
		if err != nil {
			return nil, err
		}
		report.Files = append(report.Files, row)
		if isJudged(f.Path) {
			list, uri, err := s.ownDiagnostics(sub.judging, sub.repo, f.Path)
			sub.repo.complain(err)
			report.addProblems(uri, f.Path, list)
		}
		progress.report(len(report.Files), total)
	}
	others := func(f *rules.Finding) bool { return f.Path == "" || !isJudged(f.Path) || !view.Tree.Has(f.Path) }
	for uri, list := range s.treeDiagnostics(sub.judging, sub.repo, others) {
		path, _ := identify(uri)
		rel, _ := sub.repo.relative(path)
		report.addProblems(uri, rel, list)
	}
	slices.SortStableFunc(report.Problems, func(a, b treeProblems) int { return cmp.Compare(a.Path, b.Path) })
	return report, view.Tree.Err()
}

func (r *treeReport) addProblems(uri protocol.DocumentURI, path string, list wire.Diagnostics) {
	if len(list) > 0 {
		r.Problems = append(r.Problems, treeProblems{uri, path, list})
	}
}

func treeRow(sub *subject, f *tree.File) (row treeFile, err error) {
	view := sub.judging.view
	row = treeFile{
		URI: protocol.DocumentURI(fileuri.FromPath(absolute(sub.repo.git, f.Path))), Path: f.Path,
		Tier: shortTier(view, f.Path), Group: groupOf(view, f.Path), Name: f.Name(), Level: levelOK,
	}
	limits := view.Limits()
	if limits != nil && view.Constrained(f.Path) {
		if n, _, ok := limits.FileLimit(f.Path); ok {
			row.Limit = &n
		}
	}
	if !f.Mode.IsRegular() {
		return row, nil
	}
	about, err := view.About(f)
	if err != nil {
		return row, err
	}
	row.Name, row.Description = about.Name, about.Description
	row.Bytes, row.Characters, row.Tokens = &about.Bytes, &about.Characters, new(compile.Tokens(about.Bytes))
	row.Level = levelOf(int64(about.Characters), row.Limit)
	return row, nil
}
