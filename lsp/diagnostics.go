package lsp

import (
	"encoding/json"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/fileuri"
	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
)

const diagnosticSource = "memls"

// maxDiagnostics bounds what is shown of one document: no reader needs more,
// and clients get slow.
const maxDiagnostics = 500

var severities = map[rules.Severity]protocol.DiagnosticSeverity{
	rules.Error:   protocol.DiagnosticSeverityError,
	rules.Warning: protocol.DiagnosticSeverityWarning,
	rules.Info:    protocol.DiagnosticSeverityInformation,
	rules.Hint:    protocol.DiagnosticSeverityHint,
}

// diagnostics returns what the client shall show of a document, given the
// judgement of its repository or why there is none. ok is false when the
// document is none of ours.
func (s *Server) diagnostics(at place, j *judging, judgeErr error) (list wire.Diagnostics, ok bool) {
	if judgeErr != nil {
		return wire.Diagnostics{notJudged(at.doc, judgeErr)}, true
	}
	sub := j.subject(at)
	if sub == nil {
		return nil, false
	}
	found, err := sub.findings()
	at.repo.complain(err)
	for i := range found {
		if len(list) == maxDiagnostics {
			list = append(list, hiddenDiagnostics(len(found)-i))
			break
		}
		list = append(list, s.diagnostic(sub, &found[i]))
	}
	return list, true
}

// notJudged stands for the diagnostics that are not known: an empty list
// would look like praise.
func notJudged(doc *document, err error) wire.Diagnostic {
	return wire.Diagnostic{
		Range:    plainSource(doc).rangeOf(firstLine(doc.text)),
		Severity: protocol.DiagnosticSeverityError,
		Source:   diagnosticSource,
		Message:  "not judged: " + err.Error(),
	}
}

// firstLine is where what concerns a whole file is shown.
func firstLine(text []byte) rules.Span { return (&rules.Finding{FirstLine: true}).SpanIn(text) }

func hiddenDiagnostics(n int) wire.Diagnostic {
	return wire.Diagnostic{
		Severity: protocol.DiagnosticSeverityInformation,
		Source:   diagnosticSource,
		Message:  fmt.Sprintf("%d more problems in this file are not shown", n),
	}
}

// fixData is what a diagnostic tells about its fixes, for clients that look at
// data and for tests; actions are made anew from the current state.
type fixData struct {
	Rule  string    `json:"rule"`
	Fixes []fixName `json:"fixes"`
}

type fixName struct {
	Title string `json:"title"`
	Key   string `json:"key"`
}

func (s *Server) diagnostic(sub *subject, f *shown) wire.Diagnostic {
	d := wire.Diagnostic{
		Range:           sub.source.rangeOf(f.span),
		Severity:        severities[f.severity],
		Code:            f.rule.ID,
		CodeDescription: &protocol.CodeDescription{Href: protocol.URI(f.rule.URL())},
		Source:          diagnosticSource,
		Message:         f.message,
	}
	if f.help != "" {
		d.Message += "\n" + f.help
	}
	data := fixData{Rule: f.rule.ID, Fixes: []fixName{}}
	for _, fix := range f.fixes {
		data.Fixes = append(data.Fixes, fixName{fix.Title, fix.Key})
	}
	d.Data, _ = json.Marshal(data) // strings always have a JSON form
	if s.client.Capabilities.TextDocument.PublishDiagnostics.RelatedInformation {
		for _, rel := range f.related {
			if where, ok := sub.locate(rel.Path, rel.Span, s.encoding); ok {
				d.RelatedInformation = append(d.RelatedInformation, protocol.DiagnosticRelatedInformation{Location: where, Message: rel.Message})
			}
		}
	}
	return d
}

// locate is a place in a file of the repository, open or not.
func (sub *subject) locate(path string, span rules.Span, enc wire.PositionEncoding) (protocol.Location, bool) {
	uri, src, err := sub.target(path, enc)
	if err != nil {
		return protocol.Location{}, false
	}
	return protocol.Location{URI: uri, Range: src.rangeOf(span)}, true
}

// uriOf is the URI of a file of the repository as the client knows it.
func (sub *subject) uriOf(path string) protocol.DocumentURI {
	if b := sub.judging.overlay.buffers[path]; b != nil && b.file != nil {
		return b.doc.uri
	}
	return protocol.DocumentURI(fileuri.FromPath(absolute(sub.repo.git, path)))
}

// target is a file of the repository as the client knows it: its URI, and its
// text where it has one.
func (sub *subject) target(path string, enc wire.PositionEncoding) (protocol.DocumentURI, *source, error) {
	if b := sub.judging.overlay.buffers[path]; b != nil && b.file != nil {
		return b.doc.uri, b.source, nil
	}
	uri := sub.uriOf(path)
	f := sub.judging.view.Tree.File(path)
	if f == nil {
		return uri, newSource(nil, false, enc), nil
	}
	staged, err := f.Bytes()
	if err != nil {
		return uri, nil, err
	}
	return uri, newSource(staged, crlfOnDisk(absolute(sub.repo.git, path)), enc), nil
}
