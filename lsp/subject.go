package lsp

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/tree"
)

// A subject is an open document in the judgement of its repository: what a
// feature needs to answer about it.
type subject struct {
	place
	judging *judging
	file    *tree.File // nil when only the link to the file is in the repository
	source  *source
}

// subject returns the document's part in the judgement, nil when it has none:
// git ignores it, or it is gone.
func (j *judging) subject(at place) *subject {
	sub := &subject{place: at, judging: j, source: plainSource(at.doc)}
	if at.path != "" && isJudged(at.path) {
		b := j.overlay.buffers[at.path]
		if b == nil || b.file == nil {
			return nil
		}
		sub.file, sub.source = b.file, b.source
		return sub
	}
	if link := j.view.Tree.File(at.link); link == nil || link.Mode != tree.Symlink {
		return nil
	}
	return sub
}

// subjectOf finds the subject that a request is about. It is nil, without an
// error, when the document is none of ours. Changes on disk that the client
// does not tell of are looked for.
func (s *Server) subjectOf(ctx context.Context, snap snapshot, uri protocol.DocumentURI) (*subject, error) {
	doc := snap.documents.get(uri)
	if doc == nil {
		return nil, nil
	}
	placing := s.engine.flush().place(ctx, snap.documents)
	at, ok := placing.of(snap.documents.at(doc.key))
	if !ok {
		return nil, nil
	}
	j, err := at.repo.judge(ctx, placing.repos[at.repo], !s.watches())
	if err != nil {
		return nil, err
	}
	return j.subject(at), nil
}

// shown is a finding, or several with one cause, as an editor shows it.
type shown struct {
	rule     *rules.Rule
	severity rules.Severity
	span     rules.Span // in the subject's source
	message  string
	help     string
	fixes    []*rules.Fix
	related  []rules.Related
}

// findings is everything that is shown in the document: about the file, about
// the link by which it was opened, and about the tree where that has no file
// of its own. It is found out once for each state of an open document, which
// diagnostics, actions and hovers all ask about.
func (sub *subject) findings() ([]shown, error) {
	if sub.doc == nil {
		return sub.judge()
	}
	return sub.judging.shared.of(sub.doc, sub.judge)()
}

// sharedFindings are those of the open documents in one judging.
type sharedFindings struct {
	mu    sync.Mutex
	byDoc map[*document]func() ([]shown, error)
}

func (s *sharedFindings) of(doc *document, judge func() ([]shown, error)) func() ([]shown, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	once := s.byDoc[doc]
	if once == nil {
		once = sync.OnceValues(judge)
		if s.byDoc == nil {
			s.byDoc = map[*document]func() ([]shown, error){}
		}
		s.byDoc[doc] = once
	}
	return once
}

func (sub *subject) judge() ([]shown, error) {
	j := sub.judging
	whole, errs := j.whole()
	var own []rules.Finding
	for _, f := range []*tree.File{sub.file, sub.linkFile()} {
		if f == nil {
			continue
		}
		found, err := j.view.JudgeFile(f)
		errs = errors.Join(errs, err)
		own = append(own, found...)
	}
	for i := range whole {
		if sub.concerns(&whole[i]) {
			own = append(own, whole[i])
		}
	}
	own = slices.DeleteFunc(own, func(f rules.Finding) bool { return !j.settings.wants(f.Rule.ID) })
	list := group(own, func(f *rules.Finding) shown { return sub.show(f) })
	for i := range list {
		j.settings.adjust(&list[i])
	}
	slices.SortStableFunc(list, func(a, b shown) int {
		return cmp.Or(a.span.Start-b.span.Start, cmp.Compare(a.severity, b.severity), cmp.Compare(a.rule.ID, b.rule.ID), cmp.Compare(a.message, b.message))
	})
	return list, errs
}

func (sub *subject) linkFile() *tree.File {
	if sub.link == "" {
		return nil
	}
	if f := sub.judging.view.Tree.File(sub.link); f != nil && f.Mode == tree.Symlink {
		return f
	}
	return nil
}

// concerns reports whether a finding about the tree is shown in the document.
func (sub *subject) concerns(f *rules.Finding) bool {
	if sub.file == nil {
		return false
	}
	view := sub.judging.view
	switch {
	case f.Path == sub.path:
		return true
	case sub.doc == nil: // a closed file shows what is its own
		return false
	case view.RoleOf(sub.path) == rules.RoleNone || sub.path == config.Path:
		return false
	case f.Scope == rules.ScopeCore:
		return rules.IsCore(sub.path)
	case f.Scope == rules.ScopeTree:
		return true
	}
	return f.Path != "" && !view.Tree.Has(f.Path)
}

// show places a finding in the document: in its range when it is about the
// file's text, else in the first line, with the path it is about.
func (sub *subject) show(f *rules.Finding) shown {
	s := shown{rule: f.Rule, severity: f.Severity, message: f.Message, help: f.Help, fixes: f.Fixes, related: f.Related}
	if f.Path == sub.path && sub.file != nil {
		s.span = f.SpanIn(sub.source.staged)
		if s.span.End <= sub.source.hidden {
			s.span.End = firstLine(sub.source.staged).End // what is seen of it
		}
		return s
	}
	if f.Path != "" {
		s.message = f.Line
	}
	s.span = firstLine(sub.source.staged)
	return s
}

// conflictMarker is the rule that says all there is to say about the lines
// between the marks of a merge.
const conflictMarker = "conflict-marker"

// group turns findings into what is shown: those with one cause become one,
// and none at all where a conflict marker explains them.
func group(findings []rules.Finding, show func(*rules.Finding) shown) []shown {
	var list []shown
	at := map[rules.Span]int{} // the groups that are in the list, by place
	for i := range findings {
		f := &findings[i]
		if f.Group == nil {
			list = append(list, show(f))
			continue
		}
		if explained(f.Group, findings) {
			continue
		}
		member := show(f)
		n, ok := at[f.Group.Span]
		if !ok {
			n = len(list)
			at[f.Group.Span] = n
			cause := *f
			cause.Message, cause.Span, cause.FirstLine = f.Group.Message, f.Group.Span, false
			cause.Fixes, cause.Related = f.Group.Fixes, nil
			list = append(list, show(&cause))
		}
		list[n].severity = min(list[n].severity, f.Severity)
		list[n].related = append(list[n].related, rules.Related{Path: f.Path, Span: member.span, Message: f.Message})
	}
	return list
}

func explained(g *rules.Group, findings []rules.Finding) bool {
	return slices.ContainsFunc(findings, func(f rules.Finding) bool {
		return f.Rule.ID == conflictMarker && f.Span.Start <= g.Span.Start && g.Span.End <= f.Span.End
	})
}
