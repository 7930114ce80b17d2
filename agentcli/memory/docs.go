package memory

// What models are told of the tools. Anthropic's models know the memory tool
// by its type, and get neither text nor schema.
const (
	memoryDoc = `View and change the memory: a directory of Markdown files under /memories.
Commands: view (a directory two levels deep, or a file with line numbers; view_range [first, last], -1 is the end), create (a new file; an existing one is not overwritten), str_replace (old_str has to be in the file exactly once), insert (after insert_line, 0 is the top), delete, rename, update_description (the description in a file's frontmatter).
The memory is judged before it is committed. What a change breaks is said in its result: mend it at once. Say why in reason: it becomes the message of the commit.
In a memory with a MEMORY.md at its top, other Markdown files start with frontmatter of name and description (create adds it where file_text has none: give a description), and every directory has a MEMORY.md without frontmatter, which links to what is in it.`

	memorySchema = `{
  "type": "object",
  "properties": {
    "command": {"type": "string", "enum": ["view", "create", "str_replace", "insert", "delete", "rename", "update_description"]},
    "path": {"type": "string", "description": "File or directory, such as /memories/notes/today.md"},
    "view_range": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2, "description": "view: first and last line, from 1; -1 is the end"},
    "file_text": {"type": "string", "description": "create: the whole text"},
    "description": {"type": "string", "description": "create, update_description: in one line what the file is for"},
    "old_str": {"type": "string", "description": "str_replace: the text to replace, exactly as in the file"},
    "new_str": {"type": "string", "description": "str_replace: the text in its place; may be empty"},
    "insert_line": {"type": "integer", "description": "insert: the line after which to insert, 0 for the top"},
    "insert_text": {"type": "string", "description": "insert: the lines to insert"},
    "old_path": {"type": "string", "description": "rename: what to move"},
    "new_path": {"type": "string", "description": "rename: where to; nothing may be there"},
    "reason": {"type": "string", "description": "Why, in one line"}
  },
  "required": ["command"],
  "additionalProperties": false
}`

	patchDoc = `Change several files of the memory at once, all of the changes or none. The input is a patch:
*** Begin Patch
*** Add File: notes/new.md
+every line of the new file
*** Update File: notes/old.md
*** Move to: notes/other.md
@@ a line above the change, to find the place by
 a line that stays
-a line that goes
+a line that comes
*** Delete File: notes/gone.md
*** End Patch
"Move to" and the text after @@ may be left out. The lines of a change have to be in the file exactly once (below the line of its @@): give enough lines around it that stay. "*** End of File" after them ties them to the end.`

	patchSchema = `{
  "type": "object",
  "properties": {
    "input": {"type": "string", "description": "The patch, from *** Begin Patch to *** End Patch"},
    "reason": {"type": "string", "description": "Why, in one line"}
  },
  "required": ["input"],
  "additionalProperties": false
}`

	skillDoc = `Load a skill of the memory, by the name under which it is listed: its instructions, and the names of its other files.`

	skillSchema = `{
  "type": "object",
  "properties": {"name": {"type": "string", "description": "The name of the skill"}},
  "required": ["name"],
  "additionalProperties": false
}`

	finishDoc = `Say that the work on the memory is done, with a message for the commit: what has changed and why, the first line short.`

	finishSchema = `{
  "type": "object",
  "properties": {"message": {"type": "string", "description": "The message of the commit"}},
  "required": ["message"],
  "additionalProperties": false
}`
)
