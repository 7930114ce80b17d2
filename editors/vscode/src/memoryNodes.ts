import * as path from 'node:path/posix';
import * as vscode from 'vscode';
import type { Diagnostic } from 'vscode-languageclient/node';
import { judged, number, percent, used } from './budget';
import type { Memory } from './memories';
import type { Group, MemoryFile, Tree } from './protocol';

/** A row of the Memory view, with those below it. */
export class Node {
	constructor(
		readonly memory: Memory,
		readonly item: vscode.TreeItem,
		readonly children: Node[] = [],
		/** The path of a file or directory in its memory, '' of the root. */
		readonly path?: string,
		readonly group?: Group,
	) {}

	/** The file or directory that the row stands for. */
	get uri(): vscode.Uri | undefined {
		return this.path === undefined ? undefined : vscode.Uri.joinPath(this.memory.root, this.path);
	}
}

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;

const icons: Readonly<Record<Group | 'problems', string>> = {
	core: 'pinned', deferred: 'library', skills: 'tools', other: 'files', problems: 'warning',
};

function titleOf(group: Group): string {
	return {
		core: vscode.l10n.t('Core Memory'),
		deferred: vscode.l10n.t('Deferred Memory'),
		skills: vscode.l10n.t('Skills'),
		other: vscode.l10n.t('Not in Memory'),
	}[group];
}

/** The groups of a memory. One without files is left out, but core and deferred are places to drop files on. */
export function groupsOf(memory: Memory, tree: Tree): Node[] {
	const groups = (['core', 'deferred', 'skills', 'other'] as const).map((group) => groupNode(memory, tree, group));
	return [...groups, problemsNode(memory, tree)].filter((node) => node !== undefined);
}

/** The row of a memory, in a window with several. */
export function memoryNode(memory: Memory, children: Node[]): Node {
	const item = new vscode.TreeItem(memory.name, Expanded);
	item.description = used(memory.core);
	item.tooltip = memory.root.fsPath;
	item.accessibilityInformation = { label: `${memory.name}, ${judged(memory.core)}` };
	item.contextValue = 'memory';
	item.iconPath = new vscode.ThemeIcon('repo');
	return new Node(memory, item, children);
}

function groupNode(memory: Memory, tree: Tree, group: Group): Node | undefined {
	const files = tree.files.filter((file) => file.group === group);
	if (files.length === 0 && group !== 'core' && group !== 'deferred') {
		return undefined;
	}
	const item = new vscode.TreeItem(titleOf(group), group === 'core' ? Expanded : Collapsed);
	item.id = `${memory.root} ${group}`;
	item.description = group === 'core' ? used(tree.core) : number(files.length);
	item.contextValue = `group.${group}`;
	item.iconPath = new vscode.ThemeIcon(icons[group]);
	item.accessibilityInformation = { label: `${titleOf(group)}, ${group === 'core' ? judged(tree.core) : countOf(files)}` };
	return new Node(memory, item, below(memory, files, '', group), '', group);
}

/** The rows of the files and directories right below a directory. */
function below(memory: Memory, files: readonly MemoryFile[], dir: string, group: Group): Node[] {
	const prefix = dir === '' ? '' : dir + '/';
	const rows: Node[] = [];
	const dirs = new Map<string, MemoryFile[]>();
	for (const file of files) {
		const [first, ...rest] = file.path.slice(prefix.length).split('/');
		if (rest.length === 0) {
			rows.push(fileNode(memory, file));
		} else {
			const inside = prefix + first;
			dirs.set(inside, [...dirs.get(inside) ?? [], file]);
		}
	}
	const folders = [...dirs].map(([name, inside]) => folderNode(memory, inside, name, group));
	return [...folders, ...rows];
}

function folderNode(memory: Memory, files: readonly MemoryFile[], dir: string, group: Group): Node {
	const item = new vscode.TreeItem(path.basename(dir), Collapsed);
	item.id = `${memory.root} ${group} ${dir}/`;
	item.resourceUri = vscode.Uri.joinPath(memory.root, dir);
	item.description = number(files.length);
	item.accessibilityInformation = { label: `${dir}, ${titleOf(group)}, ${countOf(files)}` };
	item.contextValue = `folder.${group}`;
	item.iconPath = vscode.ThemeIcon.Folder;
	return new Node(memory, item, below(memory, files, dir, group), dir, group);
}

function fileNode(memory: Memory, file: MemoryFile): Node {
	const uri = vscode.Uri.parse(file.uri);
	const item = new vscode.TreeItem(path.basename(file.path), None);
	item.id = `${memory.root} ${file.path}`;
	item.resourceUri = uri;
	const index = path.basename(file.path) === 'MEMORY.md';
	item.contextValue = `${index ? 'index' : 'file'}.${file.group}`;
	item.iconPath = file.level === 'ok' ? vscode.ThemeIcon.File : warningIcon(file.level === 'over');
	item.command = { command: 'vscode.open', title: vscode.l10n.t('Open'), arguments: [uri] };
	const spoken = [file.path, titleOf(file.group)];
	const { characters, limit, level } = file;
	if (characters !== null) {
		item.description = limit === null ? number(characters) : `${number(characters)} · ${percent(characters / limit)}`;
		const size = judged({ characters, limit, level });
		const tokens = vscode.l10n.t('about {0} tokens', number(file.tokens ?? 0));
		item.tooltip = [file.name, file.description, `${size}, ${tokens}`].filter((line) => line !== '').join('\n');
		spoken.push(size);
	}
	item.accessibilityInformation = { label: spoken.join(', ') };
	return new Node(memory, item, [], file.path, file.group);
}

function problemsNode(memory: Memory, tree: Tree): Node | undefined {
	const rows = tree.problems.flatMap((file) => file.diagnostics.map((d) => {
		const uri = vscode.Uri.parse(file.uri);
		const [text] = d.message.split('\n');
		const item = new vscode.TreeItem(text ?? '', None);
		item.description = `${file.path}:${d.range.start.line + 1}`;
		item.tooltip = d.message;
		item.iconPath = d.severity === 1 ? warningIcon(true) : d.severity === 2 ? warningIcon(false) : new vscode.ThemeIcon('info');
		item.accessibilityInformation = { label: `${severityOf(d)}: ${text}, ${item.description}` };
		const { start, end } = d.range;
		const selection = new vscode.Range(start.line, start.character, end.line, end.character);
		item.command = { command: 'vscode.open', title: vscode.l10n.t('Open'), arguments: [uri, { selection }] };
		return new Node(memory, item);
	}));
	if (rows.length === 0) {
		return undefined;
	}
	const item = new vscode.TreeItem(vscode.l10n.t('Problems'), Expanded);
	item.id = `${memory.root} problems`;
	item.description = number(rows.length);
	item.accessibilityInformation = { label: `${vscode.l10n.t('Problems')}, ${item.description}` };
	item.contextValue = 'group.problems';
	item.iconPath = new vscode.ThemeIcon(icons.problems);
	return new Node(memory, item, rows);
}

function countOf(files: readonly MemoryFile[]): string {
	return vscode.l10n.t('files: {0}', number(files.length));
}

function severityOf({ severity }: Diagnostic): string {
	switch (severity) {
		case 1: return vscode.l10n.t('Error');
		case 2: return vscode.l10n.t('Warning');
		default: return vscode.l10n.t('Information');
	}
}

function warningIcon(isError: boolean): vscode.ThemeIcon {
	return isError
		? new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground'))
		: new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
}
