import type { Page } from 'playwright-core';

/** Everything that servers answered a page, as it comes. */
export interface Answers {
  /** Headers and bodies, those of watches too. */
  readonly text: () => string;
  /** What was asked, without what follows the question mark. */
  readonly asked: ReadonlySet<string>;
}

/**
 * Listens to the answers that a page gets, from before its first one. The driver tells of a body once it has ended, which
 * that of a watch does not: so what scripts fetch is read along piece by piece.
 */
export async function listenToAnswers(page: Page): Promise<Answers> {
  const pieces: string[] = [];
  const asked = new Set<string>();
  page.on('response', (response) => {
    asked.add(new URL(response.url()).pathname);
    pieces.push(JSON.stringify(response.headers()));
    if (response.request().resourceType() === 'fetch') return;
    // A page that is left behind takes its answers with it.
    response.text().then(
      (text) => pieces.push(text),
      () => undefined,
    );
  });
  await page.exposeFunction('tellTest', (piece: string) => void pieces.push(piece));
  await page.addInitScript(`{
    const ask = window.fetch;
    window.fetch = async (...question) => {
      const answer = await ask(...question);
      const reader = answer.clone().body?.pipeThrough(new TextDecoderStream()).getReader();
      const read = async () => {
        for (let piece = await reader?.read(); piece?.done === false; piece = await reader.read()) tellTest(piece.value);
      };
      read().catch(() => undefined);
      return answer;
    };
  }`);
  return { text: () => pieces.join('\n'), asked };
}
