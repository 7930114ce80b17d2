import * as vscode from 'vscode';
import { Client } from './client';

let client: Client | undefined;

/** Starts everything there is: there is memory. */
export async function start(context: vscode.ExtensionContext): Promise<void> {
	const log = vscode.window.createOutputChannel('memls');
	client = new Client(context, log);
	context.subscriptions.push(
		log, client,
		vscode.commands.registerCommand('memls.restart', () => client?.restart()),
		vscode.commands.registerCommand('memls.showLog', () => log.show()),
	);
	await vscode.commands.executeCommand('setContext', 'memls.active', true);
	await client.start();
}

export async function stop(): Promise<void> {
	await client?.stop();
}
