// Package markdown holds the facts of the Markdown in one file: headings with
// their GitHub anchors, links, link definitions, code and HTML, each with its
// exact byte range. Package commonmark finds them.
//
// The two are apart because the hook, which has no use for Markdown, starts
// faster without the library behind it. The package may import nothing of memls.
package markdown

// Span is a half-open range of byte offsets [Start, End) into the parsed source.
type Span struct{ Start, End int }

// A Heading is an ATX or setext heading.
type Heading struct {
	// Level is 1 to 6.
	Level int
	// Text is the text a reader sees: markup removed, escapes and character
	// references resolved, the lines of a setext heading joined by a space, the
	// alternative text of an image kept.
	Text string
	// Slug is the anchor that GitHub gives the heading; a repeated one gets the
	// suffix -1, -2 and so on.
	Slug string
	// OwnSlug is the anchor that it had if it were the only heading.
	OwnSlug string
	// Span runs from the first # (setext: from the text) to the end of the last
	// line, the underline included and the line ending not.
	Span Span
	// TextSpan is the heading's content as written, without the # on either side.
	TextSpan Span
}

// A LinkKind says which syntax made a Link.
type LinkKind int

const (
	// Inline is [text](destination "title").
	Inline LinkKind = iota
	// Reference is [text][label], [label][] or [label].
	Reference
	// Image is ![text](destination) or a reference with a ! before it.
	Image
	// Wiki is [[target#heading|alias]], or the same with a ! before it.
	Wiki
	// Autolink is <https://example.org> or <name@example.org>.
	Autolink
)

// A Target is the destination of a link or of a link definition.
type Target struct {
	// DestSpan is the destination as written, without <> and without the # and
	// what follows. It is empty, at the place for one, when there is none. For a
	// Link with Ref it lies in the definition.
	DestSpan Span
	// Dest is the destination without its fragment, backslash escapes and
	// character references resolved (not in wiki links), percent-encoding kept.
	// The Dest of an e-mail autolink starts with "mailto:", which is not in the source.
	Dest string
	// Angle says that the destination is written in <>.
	Angle bool
	// HasFragment tells an empty fragment ("a.md#") from none ("a.md").
	HasFragment bool
	// Fragment is what follows the first #, resolved like Dest.
	Fragment string
	// FragmentSpan is the fragment as written; empty, at the end of the
	// destination, when HasFragment is false.
	FragmentSpan Span
	// Title is the link title, resolved like Dest.
	Title string
}

// A Link is a link or an image.
type Link struct {
	Kind LinkKind
	// Ref says that the Target is that of a link definition: always so for
	// Reference, and for the images that are written as references.
	Ref bool
	// Span is the whole construct, from its [, ! or < to its last byte.
	Span Span
	// TextSpan is what stands between the first pair of brackets (Wiki: between
	// the double ones, Autolink: between < and >).
	TextSpan Span
	Target
	// Label is the reference label as written, or the alias of a wiki link.
	Label string
}

// A Definition is a link reference definition, [label]: destination "title".
// Where several share a label the first one counts.
type Definition struct {
	// Label is the label as written.
	Label string
	// Span runs from the [ to the last byte of the destination or title.
	Span Span
	Target
}

// A Doc holds the facts of one file. It keeps no reference to the source. Every
// slice is in source order.
type Doc struct {
	Headings    []Heading
	Links       []Link
	Definitions []Definition
	// Code holds fenced code blocks with their fences, indented code blocks and
	// code spans with their backticks. A range starts behind the indentation of its
	// first line and ends before the last line ending; that of a block in a quote
	// includes the > of its inner lines.
	Code []Span
	// HTML holds HTML blocks and inline tags and comments, in the same manner.
	HTML []Span
	// Anchors holds the values of id attributes and of the name of <a>, in HTML.
	Anchors []string
	// Truncated says that the body is longer than MaxBody.
	Truncated bool
}
