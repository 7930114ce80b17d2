import { spawn, type ChildProcess } from 'node:child_process';
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import {
	CloseAction, ErrorAction, ExecuteCommandRequest, LanguageClient, Trace,
	type CloseHandlerResult, type LanguageClientOptions, type Middleware, type StaticFeature,
} from 'vscode-languageclient/node';
import { serverPath, stableProgram } from './programs';
import { memoryChanged, type KnownMemory } from './protocol';

/** The server may end by itself this often in this time (milliseconds); then it is left alone. */
const maxRestarts = 4;
const restartsIn = 3 * 60 * 1000;

/** How long the status bar tells of a restart (milliseconds). */
const noticeTime = 10_000;

/** Runs a command of the server that VS Code has registered by its name. */
export type CommandRunner = (command: string, args: unknown[]) => Promise<unknown>;

/** The language client: starts memls, and again when it ends unasked, up to a limit. */
export class Client implements vscode.Disposable {
	private language: LanguageClient | undefined;
	private readonly ends: number[] = [];
	private readonly subscriptions: vscode.Disposable[];
	private readonly memories = new vscode.EventEmitter<readonly KnownMemory[]>();
	private pulled = false;

	/** The server tells of a change of any memory. */
	readonly onDidChangeMemories = this.memories.event;

	/** Runs the server's commands when a person does. */
	runner: CommandRunner = (command, args) => this.request(command, ...args);

	constructor(private readonly context: vscode.ExtensionContext, readonly log: vscode.OutputChannel) {
		this.subscriptions = [
			this.memories,
			vscode.workspace.onDidChangeConfiguration((event) => {
				if (event.affectsConfiguration('memls.path')) {
					void this.restart();
				}
				void this.trace();
			}),
			vscode.workspace.onDidGrantWorkspaceTrust(() => this.restart()),
		];
	}

	/** Starts the server. What goes wrong is shown. */
	async start(): Promise<void> {
		// A client that could not be started cannot be started again.
		this.language = this.create();
		try {
			await this.language.start();
			await this.trace();
		} catch (error) {
			this.complain(vscode.l10n.t('memls cannot be started. {0}', message(error)));
		}
	}

	async restart(): Promise<void> {
		this.ends.length = 0;
		await this.stop();
		await this.start();
	}

	async stop(): Promise<void> {
		await this.language?.dispose().catch(() => {}); // it is gone either way
		this.language = undefined;
	}

	/** Has the server run a command. The error is the server's, for a person. */
	request<T>(command: string, ...args: unknown[]): Promise<T> {
		if (this.language === undefined) {
			return Promise.reject(new Error(vscode.l10n.t('memls is not running.')));
		}
		return this.language.sendRequest(ExecuteCommandRequest.type, { command, arguments: args }) as Promise<T>;
	}

	dispose(): void {
		this.subscriptions.forEach((s) => s.dispose());
	}

	private create(): LanguageClient {
		const options: LanguageClientOptions = {
			documentSelector: [{ scheme: 'file', language: 'markdown' }, { scheme: 'file', pattern: '**/.memfs.config.json' }],
			outputChannel: this.log,
			errorHandler: {
				error: () => ({ action: ErrorAction.Continue, handled: true }),
				closed: () => this.ended(),
			},
			initializationFailedHandler: () => false,
			middleware: this.middleware(),
		};
		const language = new QuietClient('memls', 'memls', () => this.spawn(), options);
		language.registerFeature(wantsMemories);
		language.onNotification(memoryChanged, ({ memories }: { memories: KnownMemory[] }) => this.memories.fire(memories));
		return language;
	}

	private middleware(): Middleware {
		return {
			executeCommand: (command, args) => this.runner(command, args),
			// The client asks for the diagnostics of the workspace every two
			// seconds. It waits until there is something new.
			provideWorkspaceDiagnostics: async (resultIds, token, report, next) => {
				if (this.pulled) {
					await this.change(token);
				}
				this.pulled = !token.isCancellationRequested;
				return this.pulled ? next(resultIds, token, report) : { items: [] };
			},
			workspace: {
				configuration: async (params, token, next) => {
					const values = await next(params, token);
					return Array.isArray(values) ? values.map((value) => this.withHook(value)) : values;
				},
			},
		};
	}

	/** Resolves at the next change of a memory, or when nobody waits any more. */
	private change(token: vscode.CancellationToken): Promise<void> {
		return new Promise((resolve) => {
			const both = vscode.Disposable.from(this.memories.event(done), token.onCancellationRequested(done));
			function done(): void {
				both.dispose();
				resolve();
			}
		});
	}

	/** A hook must outlive the extension's folder, which goes with every update. */
	private withHook(settings: unknown): unknown {
		if (typeof settings !== 'object' || settings === null || (settings as { memhook?: string }).memhook) {
			return settings;
		}
		return { ...settings, memhook: stableProgram(this.context, 'memhook') };
	}

	private spawn(): Promise<ChildProcess> {
		const program = serverPath(this.context);
		this.pulled = false;
		this.log.appendLine(`memls: ${program}`);
		return new Promise((resolve, reject) => {
			const server = spawn(program, [], { cwd: homedir(), env: environment() });
			server.once('spawn', () => resolve(server)).once('error', reject);
		});
	}

	private ended(): CloseHandlerResult {
		this.memories.fire([]);
		const now = Date.now();
		this.ends.push(now);
		if (this.ends.filter((at) => now - at < restartsIn).length <= maxRestarts) {
			const text = vscode.l10n.t('memls ended and is started again.');
			vscode.window.setStatusBarMessage(`$(debug-restart) ${text}`, noticeTime);
			return { action: CloseAction.Restart, handled: true, message: text };
		}
		const text = vscode.l10n.t('memls ended {0} times in {1} minutes and is not started again.', maxRestarts + 1, restartsIn / 60_000);
		this.complain(text);
		return { action: CloseAction.DoNotRestart, handled: true, message: text };
	}

	private complain(text: string): void {
		const restart = vscode.l10n.t('Restart');
		const log = vscode.l10n.t('Show Log');
		this.log.appendLine(text);
		void vscode.window.showErrorMessage(text, restart, log).then((choice) => {
			if (choice === restart) {
				void this.restart();
			} else if (choice === log) {
				this.log.show(true);
			}
		});
	}

	/** One setting for the messages of both sides: the client's own is memls.trace.server. */
	private async trace(): Promise<void> {
		if (this.language?.isRunning()) {
			await this.language.setTrace(Trace.fromString(vscode.workspace.getConfiguration('memls').get('trace', 'off')));
		}
	}
}

/** Logs what goes wrong between client and server, and leaves it to us to tell a person what that means. */
class QuietClient extends LanguageClient {
	override error(text: string, data?: unknown): void {
		super.error(text, data, false);
	}
}

/** Tells the server that there are views to keep up to date. */
const wantsMemories: StaticFeature = {
	fillClientCapabilities: (capabilities) => {
		capabilities.experimental = { memoryChanged: true };
	},
	initialize: () => {},
	getState: () => ({ kind: 'static' }),
	clear: () => {},
};

/** What went wrong, for a person. */
export function message(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** In a workspace that is not trusted git must not run the program that its configuration names. */
function environment(): NodeJS.ProcessEnv {
	if (vscode.workspace.isTrusted) {
		return process.env;
	}
	return { ...process.env, GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.fsmonitor', GIT_CONFIG_VALUE_0: 'false' };
}
