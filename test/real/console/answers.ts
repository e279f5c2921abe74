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
  const texts: string[] = [];
  /** What has come of each answer that a script reads: the network cuts it anywhere. */
  const fetched = new Map<number, string>();
  const asked = new Set<string>();
  page.on('response', (response) => {
    asked.add(new URL(response.url()).pathname);
    texts.push(JSON.stringify(response.headers()));
    if (response.request().resourceType() === 'fetch') return;
    // A page that is left behind takes its answers with it.
    response.text().then(
      (text) => texts.push(text),
      () => undefined,
    );
  });
  await page.exposeFunction('tellTest', (answer: number, piece: string) => {
    fetched.set(answer, `${fetched.get(answer) ?? ''}${piece}`);
  });
  await page.addInitScript(`{
    const ask = window.fetch;
    window.fetch = async (...question) => {
      const answer = await ask(...question);
      const id = Math.random();
      const reader = answer.clone().body?.pipeThrough(new TextDecoderStream()).getReader();
      const read = async () => {
        for (let piece = await reader?.read(); piece?.done === false; piece = await reader.read()) tellTest(id, piece.value);
      };
      read().catch(() => undefined);
      return answer;
    };
  }`);
  return { text: () => [...texts, ...fetched.values()].join('\n'), asked };
}
