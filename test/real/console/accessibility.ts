import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** What axe found, as far as it is told. */
interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Problems of a page that axe calls serious or critical, one text each. */
export async function seriousProblems(page: Page): Promise<readonly string[]> {
  // By the debugger rather than as a script of the page, which its policy would refuse.
  await page.evaluate(source);
  const violations = (await page.evaluate('axe.run().then((result) => result.violations)')) as readonly Violation[];
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
}
