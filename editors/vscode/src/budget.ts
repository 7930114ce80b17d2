import * as vscode from 'vscode';
import type { Memories } from './memories';
import type { Level, Size } from './protocol';

/** What a level looks like: never a colour alone. */
const looks: Readonly<Record<Level, { readonly icon: string; readonly background?: string }>> = {
	ok: { icon: 'pinned' },
	near: { icon: 'warning', background: 'statusBarItem.warningBackground' },
	over: { icon: 'error', background: 'statusBarItem.errorBackground' },
};

/** The size of the core memory in the status bar. */
export class Budget implements vscode.Disposable {
	private readonly item = vscode.window.createStatusBarItem('memls.budget', vscode.StatusBarAlignment.Right, 100);
	private readonly subscriptions: vscode.Disposable[];

	constructor(private readonly memories: Memories) {
		this.item.name = vscode.l10n.t('Memory Budget');
		this.item.command = 'memls.memory.focus';
		this.subscriptions = [
			memories.onDidChange(() => this.show()),
			vscode.window.onDidChangeActiveTextEditor(() => this.show()),
		];
	}

	dispose(): void {
		this.subscriptions.forEach((s) => s.dispose());
		this.item.dispose();
	}

	private show(): void {
		const memory = this.memories.current;
		if (memory === undefined) {
			this.item.hide();
			return;
		}
		const { core } = memory;
		const { icon, background } = looks[core.level];
		this.item.text = `$(${icon}) ${used(core)}`;
		this.item.tooltip = vscode.l10n.t('Core memory of {0}: {1}, about {2} tokens in every prompt', memory.name, judged(core), number(core.tokens));
		this.item.accessibilityInformation = { label: this.item.tooltip };
		this.item.backgroundColor = background === undefined ? undefined : new vscode.ThemeColor(background);
		this.item.show();
	}
}

/** How much of its limit a file or the core memory uses, in words. */
export function used({ characters, limit }: Pick<Size, 'characters' | 'limit'>): string {
	if (limit === null) {
		return vscode.l10n.t('{0} characters', number(characters));
	}
	return vscode.l10n.t('{0} of {1} characters ({2})', number(characters), number(limit), percent(characters / limit));
}

/** The same with what to think of it. */
export function judged(size: Pick<Size, 'characters' | 'limit' | 'level'>): string {
	switch (size.level) {
		case 'ok': return used(size);
		case 'near': return vscode.l10n.t('{0}, near the limit', used(size));
		case 'over': return vscode.l10n.t('{0}, over the limit', used(size));
	}
}

export function number(n: number): string {
	return n.toLocaleString(vscode.env.language);
}

export function percent(share: number): string {
	// Rounded down: at 100 % the limit is reached.
	return (Math.floor(share * 100) / 100).toLocaleString(vscode.env.language, { style: 'percent' });
}
