// Waiting: for what is seen, never for a while.

/** How long anything may take on a busy machine, in milliseconds. */
export const patience = 60_000;

/**
 * Asks until the answer is neither undefined nor false, and returns it. After
 * so many milliseconds it fails with what was waited for.
 */
export async function until<T>(what: string, ask: () => Promise<T | undefined | false> | T | undefined | false, limit = patience): Promise<T> {
	const end = Date.now() + limit;
	for (;;) {
		const answer = await ask();
		if (answer !== undefined && answer !== false) {
			return answer;
		}
		if (Date.now() > end) {
			throw new Error(`waited in vain for ${what}`);
		}
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
}
