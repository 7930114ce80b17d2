package commonmark

import (
	"bytes"

	"golang.org/x/net/html"
)

// addAnchors finds the id attributes, and the names of <a> elements, in the HTML
// that was recorded.
func (s *state) addAnchors() {
	for _, span := range s.doc.HTML {
		raw := s.src[span.Start-s.base : span.End-s.base]
		if bytes.IndexByte(raw, '=') < 0 {
			continue
		}
		z := html.NewTokenizer(bytes.NewReader(raw))
		for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
			if kind == html.StartTagToken || kind == html.SelfClosingTagToken {
				s.addTagAnchors(z)
			}
		}
	}
}

func (s *state) addTagAnchors(z *html.Tokenizer) {
	name, more := z.TagName()
	isA := string(name) == "a"
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		if len(value) > 0 && (string(key) == "id" || isA && string(key) == "name") {
			s.doc.Anchors = append(s.doc.Anchors, string(value))
		}
	}
}
