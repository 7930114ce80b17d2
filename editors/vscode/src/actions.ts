import * as path from 'node:path/posix';
import * as vscode from 'vscode';
import { message, type Client } from './client';
import type { Memories, Memory } from './memories';
import { Node } from './memoryNodes';
import { keepPrograms } from './programs';
import type { Staged } from './protocol';

/** The server's commands that are about a memory as a whole. */
const ofMemory = new Set(['memls.createIndexes', 'memls.fixMemory', 'memls.checkStaged', 'memls.installHook']);

/** What a person has the server do. The server works out the edits; VS Code applies and saves them. */
export class Actions {
	constructor(
		private readonly context: vscode.ExtensionContext,
		private readonly client: Client,
		private readonly memories: Memories,
	) {
		client.runner = (command, args) => this.run(command, args);
	}

	/** Runs a command of the server. From a menu or the palette it is told what it is about. */
	private async run(command: string, args: unknown[]): Promise<unknown> {
		const [first] = args;
		if (!ofMemory.has(command)) {
			const uri = vscode.window.activeTextEditor?.document.uri.toString();
			return this.change(command, ...args.length > 0 ? args : [uri]);
		}
		const memory = first instanceof Node ? first.memory : await this.memories.choose();
		if (memory === undefined) {
			return undefined;
		}
		const argument = { uri: memory.root.toString() };
		switch (command) {
			case 'memls.installHook': return this.installHook(argument);
			case 'memls.checkStaged': return this.checkStaged(memory);
			default: return this.fix(command, argument);
		}
	}

	/** A row that was dropped: on the core it is promoted, on a directory it goes there. */
	async drop(node: Node, target: Node | undefined): Promise<void> {
		if (target === undefined || target.memory.root.toString() !== node.memory.root.toString()) {
			return;
		}
		switch (target.group) {
			case 'core': return this.promote([node]);
			case 'deferred': return this.put([node], directoryOf(target) || undefined);
			default:
				void vscode.window.showWarningMessage(vscode.l10n.t('Memory can be moved to the core and to directories of deferred memory only.'));
		}
	}

	async promote(nodes: readonly Node[]): Promise<void> {
		for (const subject of this.subjects(nodes)) {
			await this.change('memls.promote', subject);
		}
	}

	async demote(nodes: readonly Node[]): Promise<void> {
		await this.put(nodes, undefined);
	}

	async rename(node?: Node): Promise<void> {
		const { uri } = this.subject(node);
		const memory = this.memories.around(vscode.Uri.parse(uri));
		if (memory === undefined) {
			return;
		}
		const old = relative(memory, uri);
		const title = vscode.l10n.t('New path of {0}; links and indexes follow', old);
		const end = old.length - path.extname(old).length;
		const to = await vscode.window.showInputBox({ title, prompt: title, value: old, valueSelection: [old.lastIndexOf('/') + 1, end] });
		if (to && to !== old) {
			await this.change('memls.move', { uri, to });
		}
	}

	/** Moves a section to a file of its own: the code action of that heading. */
	async split(node?: Node): Promise<void> {
		const uri = vscode.Uri.parse(this.subject(node).uri);
		await vscode.workspace.openTextDocument(uri);
		const symbols = await vscode.commands.executeCommand<vscode.DocumentSymbol[]>('vscode.executeDocumentSymbolProvider', uri) ?? [];
		const items = headings(symbols).map((symbol) => ({ label: symbol.name, description: symbol.detail, symbol }));
		const title = vscode.l10n.t('Which section becomes a file of its own?');
		const chosen = await vscode.window.showQuickPick(items, { title, placeHolder: title });
		if (chosen === undefined) {
			return;
		}
		const kind = vscode.CodeActionKind.RefactorExtract.value;
		const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>('vscode.executeCodeActionProvider', uri, chosen.symbol.selectionRange, kind, 1);
		const edit = actions.find((action) => action.edit)?.edit;
		if (edit === undefined) {
			void vscode.window.showWarningMessage(vscode.l10n.t('The section {0} cannot be split off.', chosen.label));
			return;
		}
		await vscode.workspace.applyEdit(edit, { isRefactoring: true });
	}

	/** Moves files to a directory of deferred memory, which is asked for when it is not given. */
	private async put(nodes: readonly Node[], dir: string | undefined): Promise<void> {
		const subjects = this.subjects(nodes);
		const memory = this.memories.around(vscode.Uri.parse(subjects[0]!.uri));
		const to = memory && (dir ?? await this.chooseDirectory(memory));
		if (!memory || !to) {
			return;
		}
		for (const { uri } of subjects) {
			const old = relative(memory, uri);
			if (path.dirname(old) === '.') {
				await this.change('memls.demote', { uri, to });
			} else if (path.dirname(old) !== to) {
				await this.change('memls.move', { uri, to: path.join(to, path.basename(old)) });
			}
		}
	}

	private async chooseDirectory(memory: Memory): Promise<string | undefined> {
		const { files } = await this.memories.tree(memory);
		const indexes = files.filter((file) => file.group === 'deferred' && path.basename(file.path) === 'MEMORY.md');
		const another = { label: vscode.l10n.t('$(new-folder) New directory…'), dir: '' };
		const items = [...indexes.map((file) => ({ label: `$(folder) ${path.dirname(file.path)}`, description: file.name, dir: path.dirname(file.path) })), another];
		const title = vscode.l10n.t('Which directory? Its files are read on demand.');
		const chosen = await vscode.window.showQuickPick(items, { title, placeHolder: title });
		if (chosen !== another) {
			return chosen?.dir;
		}
		return vscode.window.showInputBox({ title, prompt: vscode.l10n.t('Name of the new directory, such as projects') });
	}

	private async fix(command: string, argument: { uri: string }): Promise<void> {
		const result = await this.change<{ files: number }>(command, argument);
		if (result !== undefined) {
			const text = result.files === 0 ? vscode.l10n.t('There is nothing to fix.') : vscode.l10n.t('Fixed. Changed files: {0}.', result.files);
			void vscode.window.showInformationMessage(text);
		}
	}

	private async installHook(argument: { uri: string }): Promise<void> {
		const keep = vscode.l10n.t('Run the Other Hook First');
		try {
			await keepPrograms(this.context);
			await this.client.request('memls.installHook', argument);
		} catch (error) {
			if (await vscode.window.showErrorMessage(message(error), keep) === keep) {
				await this.request('memls.installHook', { ...argument, chain: true });
			}
		}
	}

	private async checkStaged(memory: Memory): Promise<void> {
		const staged = await this.request<Staged>('memls.checkStaged', { uri: memory.root.toString() });
		if (staged === undefined) {
			return;
		}
		if (staged.findings.length === 0) {
			void vscode.window.showInformationMessage(vscode.l10n.t('Nothing is wrong with what is staged.'));
			return;
		}
		const items = staged.findings.map((finding) => ({
			label: `$(${finding.severity === 'error' ? 'error' : 'warning'}) ${finding.message}`,
			description: finding.path, detail: finding.help, finding,
		}));
		const title = staged.errors > 0 ? vscode.l10n.t('The commit would be refused') : vscode.l10n.t('The commit would be accepted');
		const chosen = await vscode.window.showQuickPick(items, { title, placeHolder: title, matchOnDescription: true });
		if (chosen?.finding.path) {
			const { line, column } = chosen.finding.range?.start ?? { line: 1, column: 1 };
			const selection = new vscode.Range(line - 1, column - 1, line - 1, column - 1);
			await vscode.window.showTextDocument(vscode.Uri.joinPath(memory.root, chosen.finding.path), { selection });
		}
	}

	/** What a command is about: the row of the menu, else the file in the editor. */
	private subject(node: Node | undefined): { uri: string } {
		return { uri: (node?.uri ?? vscode.window.activeTextEditor?.document.uri ?? '').toString() };
	}

	private subjects(nodes: readonly Node[]): readonly { uri: string }[] {
		return nodes.length > 0 ? nodes.map((node) => this.subject(node)) : [this.subject(undefined)];
	}

	/**
	 * A request by which files change. They are saved, as VS Code does after its
	 * own refactorings: a link that only an editor knows of is broken on disk.
	 */
	private async change<T>(command: string, ...args: unknown[]): Promise<T | undefined> {
		const unsaved = () => vscode.workspace.textDocuments.filter((document) => document.isDirty);
		const before = unsaved();
		const result = await this.request<T>(command, ...args);
		if (vscode.workspace.getConfiguration('files').get('refactoring.autoSave', true)) {
			await Promise.all(unsaved().filter((document) => !before.includes(document)).map((document) => document.save()));
		}
		return result;
	}

	/** A request whose failure a person is told of; then the result is undefined. */
	private async request<T>(command: string, ...args: unknown[]): Promise<T | undefined> {
		try {
			return await this.client.request<T>(command, ...args);
		} catch (error) {
			void vscode.window.showErrorMessage(message(error));
			return undefined;
		}
	}
}

function directoryOf(node: Node): string {
	const isFile = node.item.collapsibleState === vscode.TreeItemCollapsibleState.None;
	return isFile ? path.dirname(node.path ?? '') : node.path ?? '';
}

function relative(memory: Memory, uri: string): string {
	return vscode.Uri.parse(uri).path.slice(memory.root.path.length + 1);
}

function headings(symbols: readonly vscode.DocumentSymbol[]): vscode.DocumentSymbol[] {
	return symbols.flatMap((symbol) => [symbol, ...headings(symbol.children)]).filter((symbol) => symbol.kind === vscode.SymbolKind.String);
}
