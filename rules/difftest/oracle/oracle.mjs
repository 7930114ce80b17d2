// Judges memory repositories with the functions that Letta Code exports, put
// together as its pre-commit hook does, with one difference: the hook stops at
// the first kind of problem, this reports all that the next tries would show.
//
//   node oracle.mjs FILE     FILE: dist/memory-constraints.js of the reference
//
// Reads one repository per line of standard input and answers each with one
// line: {"errors": [...], "refused": true}. The errors are the lines that the
// hook prints; an "unreadable" line stands for text that git cannot show (a
// submodule's). A submodule named like an index or the config counts as there
// for them, while refused says what the hook does, which looks for its object.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const reference = await import(pathToFileURL(process.argv[2]).href);

const CONFIG = reference.MEMORY_CONSTRAINTS_CONFIG_PATH;
const GITLINK = "160000";

const markdown = (path) => path.endsWith(".md");
const legacyMemory = (path) => /^(memory\/)?(system|reference)\/.*\.md$/s.test(path);

// A Tree answers what the hook asks git about the index or about HEAD.
class Tree {
  constructor(files, { seeGitlinks, seeDirectories = false }) {
    Object.assign(this, { seeGitlinks, seeDirectories });
    this.files = new Map();
    for (const { path, mode, text } of files) {
      this.files.set(Buffer.from(path, "base64").toString(), { mode, bytes: Buffer.from(text, "base64"), text });
    }
  }
  // exists is `git cat-file -e`: it asks for the object, and that of a
  // submodule lies in another repository. A commit has directories as well.
  exists(path) {
    const file = this.files.get(path);
    if (!file) return this.seeDirectories && [...this.files.keys()].some((other) => other.startsWith(`${path}/`));
    return this.seeGitlinks || file.mode !== GITLINK;
  }
  // text is `git show`, null when that fails.
  text(path) {
    const file = this.files.get(path);
    return file && file.mode !== GITLINK ? file.bytes.toString() : null;
  }
}

// differs is `git diff --no-renames --diff-filter=ACM`, or, with anyKind, any
// difference.
function differs(staged, head, path, anyKind) {
  const [now, before] = [staged.files.get(path), head.files.get(path)];
  if (!now || !before) return anyKind ? now !== before : now !== undefined;
  if (now.mode.slice(0, 2) !== before.mode.slice(0, 2)) return anyKind;
  return now.mode !== before.mode || now.text !== before.text;
}

function frontmatterErrors(policy, v2Front, staged, head) {
  const errors = [];
  const flat = v2Front ? /^skills\/[^/]+\.md$/ : /^(memory\/)?skills\/[^/]+\.md$/;
  for (const path of staged.files.keys()) {
    if (flat.test(path) && differs(staged, head, path, false)) {
      errors.push(`${path}: invalid skill path (skills must be folders). Use skills/<name>/SKILL.md`);
    }
    const judged = v2Front
      ? markdown(path) && !path.startsWith("skills/") && (policy !== "root-marker" || projected(staged, path))
      : legacyMemory(path) && differs(staged, head, path, false);
    if (!judged) continue;
    const content = staged.text(path);
    if (content === null) {
      errors.push(`${path}: unreadable`);
      continue;
    }
    errors.push(
      ...reference.validateMemoryFileFrontmatter({
        path,
        content,
        previousContent: v2Front ? null : head.text(path),
        format: v2Front ? "memfs-v2" : "legacy",
      }),
    );
  }
  return errors;
}

function projected(staged, path) {
  const directories = path.split("/").slice(0, -1);
  return directories.every((_, i) => staged.exists([...directories.slice(0, i + 1), "MEMORY.md"].join("/")));
}

async function constraintErrors(repo, staged, head) {
  const v2Root = repo.policy === "root-marker" && (staged.exists("MEMORY.md") || head.exists("MEMORY.md"));
  if (!v2Root && !staged.exists(CONFIG) && !head.exists(CONFIG)) return [];

  const errors = [];
  const touched = [...new Set([...staged.files.keys(), ...head.files.keys()])].filter(
    (path) => path === CONFIG || path.startsWith(`${CONFIG}/`), // as a git pathspec
  );
  if (!repo.approve && touched.some((path) => differs(staged, head, path, true))) {
    errors.push(`${CONFIG} is protected and requires human approval to change`);
  }
  let config = reference.DEFAULT_MEMORY_CONSTRAINTS_CONFIG;
  if (!staged.exists(CONFIG)) {
    if (!v2Root) return errors;
  } else if (!staged.files.get(CONFIG).mode.startsWith("100")) {
    return [...errors, `${CONFIG}: constraint config must be a regular file`];
  } else {
    try {
      const text = repo.config === undefined ? staged.text(CONFIG) : Buffer.from(repo.config, "base64").toString();
      const parsed = reference.parseMemoryConstraintsConfig(text);
      config = repo.policy === "root-marker" ? { ...config, ...parsed } : parsed;
    } catch (error) {
      return [...errors, ...error.message.split("\n")];
    }
  }
  const reader = {
    listFiles: async () => [...staged.files].map(([path, { mode }]) => ({ path, mode })),
    readFile: async (path) => staged.files.get(path).bytes,
  };
  const options = { config, layout: repo.policy, requireRootMarker: head.exists("MEMORY.md") };
  return [...errors, ...(await reference.validateMemoryTreeConstraints(reader, options))];
}

async function judge(repo, seeGitlinks) {
  const staged = new Tree(repo.files, { seeGitlinks });
  const head = new Tree(repo.head, { seeGitlinks, seeDirectories: true });
  const v2Front =
    repo.policy === "shared-memory" ||
    (repo.policy === "root-marker" && (staged.exists("MEMORY.md") || head.exists("MEMORY.md")));
  return [
    ...frontmatterErrors(repo.policy, v2Front, staged, head),
    ...(await constraintErrors(repo, staged, head)),
  ];
}

for await (const line of createInterface({ input: process.stdin })) {
  const repo = JSON.parse(line);
  const errors = await judge(repo, true);
  const gitlinks = [...repo.files, ...repo.head].some(({ mode }) => mode === GITLINK);
  const refused = (gitlinks ? await judge(repo, false) : errors).length > 0;
  process.stdout.write(`${JSON.stringify({ errors, refused })}\n`);
}
