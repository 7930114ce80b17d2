// VS Code with the extension in it, in a browser without a screen.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { processes, root } from './memory.ts';
import { patience, until } from './until.ts';

const entry = path.join(import.meta.dirname, 'node_modules/code-server/out/node/entry.js');

/** Where pictures and logs go. */
export const pictures = path.join(root, 'dist', 'vscode');

/** Of a fresh VS Code, but for what would ask, phone or move while a test types. */
const settings = {
	'chat.disableAIFeatures': true,
	'extensions.autoCheckUpdates': false,
	'files.autoSave': 'off', // as on the desktop
	'git.openRepositoryInParentFolders': 'never',
	'security.workspace.trust.enabled': false,
	'telemetry.telemetryLevel': 'off',
	'update.mode': 'none',
	'window.confirmBeforeClose': 'never',
	'workbench.secondarySideBar.defaultVisibility': 'hidden',
	'workbench.startupEditor': 'none',
	'workbench.tips.enabled': false,
};

export class VSCode {
	/** Where extensions are installed. */
	readonly extensions: string;
	private readonly server: ChildProcess;
	private readonly browser: Browser;
	private readonly url: string;

	private constructor(extensions: string, server: ChildProcess, browser: Browser, url: string) {
		this.extensions = extensions;
		this.server = server;
		this.browser = browser;
		this.url = url;
	}

	/** Starts VS Code with a home of its own in dir, and the extension of a .vsix. */
	static async start(dir: string, vsix: string): Promise<VSCode> {
		await mkdir(pictures, { recursive: true });
		const data = path.join(dir, 'data');
		const extensions = path.join(dir, 'extensions');
		for (const level of ['User', 'Machine']) { // some settings are read from one of them alone
			await mkdir(path.join(data, level), { recursive: true });
			await writeFile(path.join(data, level, 'settings.json'), JSON.stringify(settings));
		}
		const env = { ...process.env, HOME: dir, XDG_CONFIG_HOME: path.join(dir, '.config'), XDG_DATA_HOME: path.join(dir, '.local') };
		const where = ['--user-data-dir', data, '--extensions-dir', extensions];
		await promisify(execFile)(process.execPath, [entry, ...where, '--install-extension', vsix], { env });

		const port = await freePort();
		const server = spawn(process.execPath, [entry, ...where, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`,
			'--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'],
			{ env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
		const log = createWriteStream(path.join(pictures, 'server.log'));
		server.stdout?.pipe(log, { end: false });
		server.stderr?.pipe(log, { end: false });
		const url = `http://127.0.0.1:${port}/`;
		await until('VS Code', () => fetch(new URL('healthz', url)).then((r) => r.ok, () => false));

		const browser = await chromium.launch({
			executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
			args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
		});
		return new VSCode(extensions, server, browser, url);
	}

	async stop(): Promise<void> {
		await this.browser.close();
		if (this.server.exitCode === null) {
			const ended = once(this.server, 'exit');
			process.kill(-this.server.pid!, 'SIGTERM'); // its group: the extension hosts, too
			await ended;
		}
	}

	/** Opens a folder, or a .code-workspace file, in a new window. */
	async open(target: string): Promise<Window> {
		// Those of a window that was closed stay for a while: it might reconnect.
		const others = new Set(await processes(this.extensions));
		const servers = async () => (await processes(this.extensions)).filter((pid) => !others.has(pid));
		const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 } });
		const page = await context.newPage();
		page.setDefaultTimeout(patience);
		const url = new URL(this.url);
		url.searchParams.set(target.endsWith('.code-workspace') ? 'workspace' : 'folder', target);
		await page.goto(url.href);
		const window = new Window(page, servers);
		await window.explorer.first().waitFor();
		return window;
	}
}

/** A window of VS Code, used as a person does: by what is shown and by keys. */
export class Window {
	readonly page: Page;
	/** The process IDs of the servers that were started for it. */
	readonly servers: () => Promise<number[]>;

	constructor(page: Page, servers: () => Promise<number[]>) {
		this.page = page;
		this.servers = servers;
	}

	get explorer(): Locator { return this.page.locator('.explorer-folders-view .monaco-list-row'); }
	get problems(): Locator { return this.page.locator('.markers-panel .monaco-list-row'); }
	get statusBar(): Locator { return this.page.locator('.statusbar-item'); }
	/** The rows of the Memory view. */
	get view(): Locator { return this.page.locator('.pane-body .monaco-list-row').filter({ visible: true }); }
	/** Notifications that lie over the window. */
	get notices(): Locator { return this.page.locator('.notification-toast'); }
	private get picker(): Locator { return this.page.locator('.quick-input-widget:visible .monaco-list-row'); }
	/** The editor that takes what is typed. */
	private get focused(): Locator { return this.page.locator('.editor-group-container.active .monaco-editor.focused'); }

	/** The tab in front that says so. */
	private tab(title: string): Locator {
		return this.page.locator('.editor-group-container.active .tab.active', { hasText: exactly(title) });
	}

	async close(): Promise<void> {
		await this.page.context().close();
	}

	/** The problems that say so. */
	problem(text: string): Locator { return this.problems.filter({ hasText: text }); }

	/** The text that is seen in the editor whose tab says so. */
	async textOf(tab: string): Promise<string> {
		const group = this.page.locator('.editor-group-container').filter({ has: this.page.locator('.tab.active', { hasText: exactly(tab) }) });
		return group.locator('.view-line').evaluateAll((lines) => lines
			.map((line) => ({ top: Number.parseInt((line as HTMLElement).style.top), text: line.textContent ?? '' }))
			.sort((a, b) => a.top - b.top).map(({ text }) => text).join('\n'));
	}

	/** Renames a file that the explorer shows, and lets the extension change the links to it. */
	async rename(from: string, to: string): Promise<void> {
		const row = this.explorer.and(this.page.locator(`[aria-label^="${from}"]`));
		const input = this.page.locator('.explorer-folders-view input');
		await until(`the new name of ${from}`, async () => {
			await row.click();
			await this.page.keyboard.press('F2');
			return input.waitFor({ timeout: 5000 }).then(() => true, () => false);
		});
		await input.fill(to);
		await input.press('Enter');
		await this.page.locator('.monaco-dialog-box', { hasText: 'refactoring changes' }).waitFor();
		await this.picture('rename');
		await this.page.keyboard.press('Enter');
		// Not before it is done: VS Code opens the file under its new name then.
		await this.explorer.and(this.page.locator(`[aria-label^="${to}"]`)).waitFor();
		await this.tab(to).waitFor();
	}

	/** The row of the Memory view that a screen reader reads so. */
	row(spoken: string): Locator {
		return this.view.and(this.page.getByRole('treeitem', { name: spoken }));
	}

	/** Gives the file of a row of the Memory view another path, by keys alone. */
	async renameRow(row: Locator, to: string): Promise<void> {
		const input = this.page.locator('.quick-input-widget:visible input.input');
		await until('the new path of a row', async () => {
			await this.run('Memory: Focus on Memory View');
			await this.page.keyboard.press('Home');
			await this.focus(row);
			await this.page.keyboard.press('F2');
			return input.waitFor({ timeout: 5000 }).then(() => true, () => false);
		});
		await input.fill(to);
		await this.page.keyboard.press('Enter');
	}

	/** What VS Code says of an extension that it runs, or '' when it does not. */
	async running(id: string): Promise<string> {
		await this.run('Developer: Show Running Extensions');
		const rows = this.page.locator('.runtime-extensions-editor .monaco-list-row');
		await rows.filter({ hasText: 'Activation' }).first().waitFor();
		const said = (await rows.filter({ hasText: id }).allInnerTexts()).join(' ').replace(/\s+/g, ' ');
		await this.page.keyboard.press('Escape'); // it lies over everything
		await rows.first().waitFor({ state: 'detached' });
		return said;
	}

	/** Milliseconds from the start of the page until VS Code's workbench was there. */
	async startup(): Promise<number> {
		return this.page.evaluate(() => Math.round(performance.getEntriesByName('code/didStartWorkbench')[0]?.startTime ?? Number.NaN));
	}

	/** Writes what the window shows into dist/vscode/NAME.png. */
	async picture(name: string): Promise<void> {
		await this.page.screenshot({ path: path.join(pictures, `${name}.png`) });
	}

	/**
	 * Opens a file by its name and waits until it can be typed into. The folder
	 * tells apart those of several folders.
	 */
	async openFile(name: string, folder = ''): Promise<void> {
		await until(`the cursor in ${name}`, async () => {
			await this.pick('Control+P', name, path.basename(name), folder);
			// What else goes on in the window, such as a file that the explorer
			// opens after its rename, can take its place or the focus.
			const seen = { timeout: 5000 };
			return this.tab(path.basename(name)).waitFor(seen).then(() => this.focused.waitFor(seen)).then(() => true, () => false);
		});
	}

	/** Runs a command by its title. */
	async run(command: string): Promise<void> {
		await this.pick('F1', '>' + command, command);
	}

	/** Presses the key of a picker, types, and takes the entry that says all of `labels`. */
	async pick(key: string, text: string, ...labels: string[]): Promise<void> {
		const input = this.page.locator('.quick-input-widget:visible input.input');
		const entry = labels.reduce((rows, label) => rows.filter({ hasText: exactly(label) }), this.picker).first();
		await until(`${labels} in the picker of ${key}`, async () => {
			await this.page.keyboard.press(key); // lost when the window is still busy
			if (!await input.waitFor({ timeout: 5000 }).then(() => true, () => false)) {
				return false;
			}
			await input.fill(text);
			if (await entry.waitFor({ timeout: 15_000 }).then(() => true, () => false)) {
				return true;
			}
			await this.page.keyboard.press('Escape'); // it has what there was when it was opened
			return false;
		});
		await this.focus(entry);
		await this.page.keyboard.press('Enter');
		await input.waitFor({ state: 'hidden' });
	}

	/** Moves down a list until the row has the focus. */
	private async focus(row: Locator): Promise<void> {
		await until('the focus on a row', async () => {
			if (/\bfocused\b/.test(await row.getAttribute('class') ?? '')) {
				return true;
			}
			await this.page.keyboard.press('ArrowDown');
			return false;
		});
	}

	/** Types the answer to a question in the place of the picker. */
	async answer(question: string, text: string): Promise<void> {
		const title = this.page.locator('.quick-input-title', { hasText: new RegExp(`^${exactly(question).source}$`) });
		await title.waitFor();
		await this.page.locator('.quick-input-widget:visible input.input').fill(text);
		await until(`the next question after: ${question}`, async () => {
			await this.page.keyboard.press('Enter'); // lost while a path is looked at
			return title.waitFor({ state: 'hidden', timeout: 5000 }).then(() => true, () => false);
		});
	}

	/** Shows the panel with all problems. */
	async showProblems(): Promise<void> {
		await this.run('Problems: Focus on Problems View');
		await this.page.locator('.markers-panel').waitFor();
	}

	/** Puts the cursor into the editor, at a line, which counts from 1. */
	async goTo(line: number): Promise<void> {
		await this.run('View: Focus Active Editor Group');
		await this.focused.waitFor();
		await this.page.keyboard.press('Control+Home');
		for (let at = 1; at < line; at++) {
			await this.page.keyboard.press('ArrowDown');
		}
	}

	/** Types at the end of the file whose tab is in front. */
	async append(tab: string, text: string): Promise<void> {
		await this.tab(tab).waitFor();
		const typed = async () => squeeze(await this.textOf(tab)).endsWith(squeeze(text));
		await until(`${text} in ${tab}`, async () => {
			if (await typed()) {
				return true;
			}
			await this.run('View: Focus Active Editor Group'); // or what was typed went elsewhere
			await this.page.keyboard.press('Control+End');
			await this.page.keyboard.insertText(text);
			return until('it', typed, 5000).then(() => true, () => false);
		});
	}

	/** Takes a quick fix at the cursor, by keys alone. */
	async quickFix(title: string, picture?: string): Promise<void> {
		const row = this.page.locator('.action-widget .monaco-list-row.action', { hasText: title }).first();
		await until('the menu of quick fixes', async () => {
			await this.page.keyboard.press('Control+.');
			return row.waitFor({ timeout: 5000 }).then(() => true, () => false);
		});
		if (picture !== undefined) {
			await this.picture(picture);
		}
		await this.focus(row);
		await this.page.keyboard.press('Enter');
		await row.waitFor({ state: 'hidden' });
	}
}

/** Text without white space, which an editor wraps as it likes. */
export function squeeze(text: string): string {
	return text.replace(/\s+/g, '');
}

/** A text in its own case: MEMORY.md is not "Prompt of memory.md". */
function exactly(text: string): RegExp {
	return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
}

async function freePort(): Promise<number> {
	const probe = createServer().listen(0, '127.0.0.1');
	await once(probe, 'listening');
	const { port } = probe.address() as AddressInfo;
	probe.close();
	await once(probe, 'close');
	return port;
}
