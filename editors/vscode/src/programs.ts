import { existsSync, statSync } from 'node:fs';
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

/** Where PATH leads. Not the system's own search: on Windows that begins in the working directory. */
function onPath(name: string): string[] {
	const dirs = (process.env['PATH'] ?? '').split(path.delimiter).filter((dir) => path.isAbsolute(dir));
	return dirs.map((dir) => path.join(dir, name + suffix));
}

function isFile(name: string): boolean {
	return existsSync(name) && statSync(name).isFile();
}
