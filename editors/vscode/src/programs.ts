import { existsSync, statSync } from 'node:fs';
import { copyFile, mkdir, rename } from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';

const suffix = process.platform === 'win32' ? '.exe' : '';

/**
 * The path of memls: that of the setting, else the one in the extension, else
 * the one on PATH. A workspace that is not trusted gets the extension's own.
 * The error is for a person.
 */
export function serverPath(context: vscode.ExtensionContext): string {
	const trusted = vscode.workspace.isTrusted;
	const chosen = vscode.workspace.getConfiguration('memls').get('path', '').trim();
	if (trusted && chosen !== '') {
		if (!isFile(chosen)) {
			throw new Error(vscode.l10n.t('{0}, which the setting memls.path names, is no file. Correct the setting, or empty it to use the program that comes with the extension.', chosen));
		}
		return chosen;
	}
	const found = [bundled(context, 'memls'), ...(trusted ? onPath('memls') : [])].find(isFile);
	if (found === undefined) {
		throw new Error(vscode.l10n.t('This extension comes without the program memls for your system. Install memls, and name it in the setting memls.path or put it on PATH.'));
	}
	return found;
}

/** The path that a program has in the extension, whether it is there or not. */
export function bundled(context: vscode.ExtensionContext, name: string): string {
	return path.join(context.extensionPath, 'bin', name + suffix);
}

/** The programs that others start, git and agents: they are kept where an update of the extension leaves them. */
const outside = ['memhook', 'agentcli'];

/** The path of such a program, '' where the extension comes without it. */
export function stableProgram(context: vscode.ExtensionContext, name: string): string {
	return isFile(bundled(context, name)) ? path.join(context.globalStorageUri.fsPath, 'bin', name + suffix) : '';
}

/** Puts this version of these programs in their place. */
export async function keepPrograms(context: vscode.ExtensionContext): Promise<void> {
	for (const name of outside) {
		const to = stableProgram(context, name);
		if (to === '' || isFile(to) && context.globalState.get(`version.${name}`) === version(context)) {
			continue;
		}
		await mkdir(path.dirname(to), { recursive: true });
		const temporary = `${to}.${process.pid}`;
		await copyFile(bundled(context, name), temporary);
		await rename(temporary, to);
		await context.globalState.update(`version.${name}`, version(context));
	}
}

/** Brings the programs up to date that an earlier version has put there. */
export async function updatePrograms(context: vscode.ExtensionContext): Promise<void> {
	if (outside.some((name) => isFile(stableProgram(context, name)))) {
		await keepPrograms(context);
	}
}

function version(context: vscode.ExtensionContext): string {
	return (context.extension.packageJSON as { version: string }).version;
}

/** Where PATH leads. Not the system's own search: on Windows that begins in the working directory. */
function onPath(name: string): string[] {
	const dirs = (process.env['PATH'] ?? '').split(path.delimiter).filter((dir) => path.isAbsolute(dir));
	return dirs.map((dir) => path.join(dir, name + suffix));
}

function isFile(name: string): boolean {
	return existsSync(name) && statSync(name).isFile();
}
