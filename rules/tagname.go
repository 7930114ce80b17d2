package rules

// IsTagName reports whether a label (a core file's path without .md) can be
// the name of a tag in the compiled prompt: XML's names without colons. A file
// of another label is named by an attribute (spec, section 10).
func IsTagName(label string) bool { return isXMLName(label) }
