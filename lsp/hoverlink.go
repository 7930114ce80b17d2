package lsp

import (
	"fmt"
	"strings"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/tree"
)

// spotHover tells about a link's target, or about the key of frontmatter or
// of the config at an offset; "" where none of these is. span is what it is
// about.
func (sub *subject) spotHover(at int) (text string, span rules.Span, err error) {
	if sub.file == nil || sub.source.opaque {
		return "", span, nil
	}
	if sub.path == config.Path {
		text, span = configHover(sub.source.staged, at)
		return text, span, nil
	}
	p, err := sub.spotAt(at)
	switch {
	case p == nil || err != nil:
		return "", span, err
	case p.link != nil || p.definition != nil:
		text, err = p.linkHover()
		return text, p.span, err
	}
	return sub.keyHover(at)
}

// linkHover tells what the target of a link calls itself, and what it costs.
func (p *spot) linkHover() (string, error) {
	view := p.sub.judging.view
	t, ok := p.target()
	switch {
	case !ok && t.Kind == rules.TargetOutside:
		return "leads out of this memory", nil
	case !ok:
		return "", nil
	case t.Kind == rules.TargetMissing:
		return "**" + rules.Display(t.Path) + "** does not exist", nil
	case t.File == "":
		return "**" + rules.Display(t.Path) + "** — a directory without an index", nil
	}
	f := view.Tree.File(t.File)
	if f == nil || !f.Mode.IsRegular() {
		return "**" + rules.Display(t.File) + "** — not a regular file", nil
	}
	text, err := p.sub.aboutHover(f)
	if a := view.AnchorOf(t); a.Heading != nil {
		text += "\n\n§ " + rules.Printable(a.Heading.Text)
	}
	return text, err
}

func (sub *subject) aboutHover(f *tree.File) (string, error) {
	view := sub.judging.view
	about, err := view.About(f)
	if err != nil {
		return "", err
	}
	size := fmt.Sprintf("%d characters, about %d tokens (estimate)", about.Characters, (about.Bytes+3)/4)
	if !rules.IsMarkdown(f.Path) {
		return fmt.Sprintf("**%s** — %d bytes", rules.Display(f.Path), about.Bytes), nil
	}
	return fmt.Sprintf("**%s**\n\n%s — %s\n\n%s", rules.Printable(aboutLine(about)), rules.Display(f.Path), tierOf(view, f.Path), size), nil
}

// aboutLine is a name and description in one line.
func aboutLine(a rules.About) string {
	if a.Description == "" {
		return a.Name
	}
	return a.Name + " — " + a.Description
}

// keyHover explains a key of the frontmatter.
func (sub *subject) keyHover(at int) (text string, span rules.Span, err error) {
	front, err := sub.judging.view.Front(sub.file)
	if err != nil {
		return "", span, err
	}
	for i := range front.Lines {
		l := &front.Lines[i]
		if doc := keyDocs[l.Key]; doc != "" && !l.Indented && holds(l.KeySpan, at) && at < front.Body {
			return "**" + l.Key + "**\n\n" + doc, l.KeySpan, nil
		}
	}
	return "", span, nil
}

// configHover explains a field of the config.
func configHover(src []byte, at int) (string, rules.Span) {
	place := jsonAt(src, at)
	if !place.isKey || place.token.Start == place.token.End {
		return "", rules.Span{}
	}
	key := string(src[place.token.Start:place.token.End])
	for _, f := range config.Fields() {
		if place.prefix()+strings.Trim(key, `"`) != f.Name {
			continue
		}
		text := "**" + f.Name + "**\n\n" + f.Doc
		if f.Default != "" {
			text += "\n\nWithout it: `" + f.Default + "`"
		}
		return text, place.token
	}
	return "", rules.Span{}
}
