package rules

// IndexText is the text of a new index for a directory of the tree, "" for the
// root: a heading from its name, and a link with a description to every memory
// file and child index in it. coming are the paths of indexes that are created
// together with it; nil stands for none.
func (v *View) IndexText(dir string, coming map[string]bool) string {
	return v.indexText(dir, coming)
}
