import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { message } from './client';
import { keepPrograms, stableProgram } from './programs';

/** What a new memory is made of, as agentcli init reads it. */
type Source = { readonly blocks: { label: string; value: string }[] } | { readonly file: string };

/** Asks what a new memory shall hold and where, and has agentcli make it. */
export async function createMemory(context: vscode.ExtensionContext): Promise<void> {
	try {
		const source = await askSource();
		const dir = source && await askPlace();
		if (!source || !dir) {
			return;
		}
		await keepPrograms(context);
		const program = stableProgram(context, 'agentcli');
		if (program === '') {
			throw new Error(vscode.l10n.t('This extension comes without agentcli for your system. Install it and run: agentcli init {0}', dir));
		}
		await init(program, dir, source);
		await offerToOpen(dir);
	} catch (error) {
		void vscode.window.showErrorMessage(message(error));
	}
}

async function askSource(): Promise<Source | undefined> {
	const typed = { label: vscode.l10n.t('$(edit) Write the first blocks'), detail: vscode.l10n.t('A label and a text for each, such as persona and human') };
	const file = { label: vscode.l10n.t('$(json) Take the blocks from a file'), detail: vscode.l10n.t('JSON with memory_blocks, or Markdown with a label') };
	const title = vscode.l10n.t('What does the new memory hold?');
	const chosen = await vscode.window.showQuickPick([typed, file], { title, placeHolder: title });
	if (chosen === typed) {
		const blocks = await askBlocks();
		return blocks && { blocks };
	}
	if (chosen !== file) {
		return undefined;
	}
	const [picked] = await vscode.window.showOpenDialog({ title: file.label, filters: { [vscode.l10n.t('Blocks')]: ['json', 'md', 'mdx'] } }) ?? [];
	return picked && { file: picked.fsPath };
}

/** Asks for blocks until a label is left empty; undefined when a person goes away. */
async function askBlocks(): Promise<{ label: string; value: string }[] | undefined> {
	const usual = ['persona', 'human'];
	for (const blocks: { label: string; value: string }[] = []; ;) {
		const title = vscode.l10n.t('Block {0}', blocks.length + 1);
		const label = await vscode.window.showInputBox({
			title, value: usual[blocks.length] ?? '', prompt: vscode.l10n.t('Label, which becomes the name of the file. Leave it empty to go on.'), ignoreFocusOut: true,
		});
		if (label === undefined || label.trim() === '') {
			return label === undefined ? undefined : blocks;
		}
		const value = await vscode.window.showInputBox({
			title: `${title}: ${label}`, prompt: vscode.l10n.t('What the agent shall know of {0}. More can be written into the file later.', label), ignoreFocusOut: true,
		});
		if (value === undefined) {
			return undefined;
		}
		blocks.push({ label, value });
	}
}

async function askPlace(): Promise<string | undefined> {
	const title = vscode.l10n.t('Folder in which the memory is created');
	const [parent] = await vscode.window.showOpenDialog({
		title, openLabel: vscode.l10n.t('Create Here'), canSelectFolders: true, canSelectFiles: false, defaultUri: vscode.Uri.file(homedir()),
	}) ?? [];
	if (parent === undefined) {
		return undefined;
	}
	const name = await vscode.window.showInputBox({ title: vscode.l10n.t('Name of the new folder'), prompt: parent.fsPath, value: 'memory', ignoreFocusOut: true });
	return name ? path.join(parent.fsPath, name) : undefined;
}

/** Runs agentcli init. Its error is agentcli's own words. */
function init(program: string, dir: string, source: Source): Promise<void> {
	const blocks = 'file' in source ? source.file : '-';
	return new Promise((resolve, reject) => {
		const process = spawn(program, ['init', dir, '--blocks', blocks]);
		let said = '';
		process.stderr.on('data', (data) => { said += data; });
		process.once('error', reject);
		process.once('close', (code) => code === 0 ? resolve() : reject(new Error(said.trim() || `agentcli init: ${code}`)));
		process.stdin.on('error', () => {}); // it need not read what it refuses
		process.stdin.end('file' in source ? '' : JSON.stringify(source.blocks));
	});
}

async function offerToOpen(dir: string): Promise<void> {
	const open = vscode.l10n.t('Open');
	if (await vscode.window.showInformationMessage(vscode.l10n.t('The memory {0} is made, with the commit hook and a first commit.', dir), open) === open) {
		const forceNewWindow = vscode.workspace.workspaceFolders !== undefined;
		await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(dir), { forceNewWindow });
	}
}
