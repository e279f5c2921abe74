import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as driver, type Page } from 'playwright-core';
import { buildConsole } from '../../../scripts/build-console.mjs';
import { holdAlone } from '../hold-alone.ts';
import { cacheDirectory } from '../kube/binaries.ts';

/** What the package adds for machines without room; one process for everything dies with its first page. */
const unwanted = new Set(['--single-process', '--disable-web-security', '--allow-running-insecure-content']);

/** What keeps the browser from asking others than the page does. */
const quiet = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // Containers give a page little shared memory.
  '--disable-dev-shm-usage',
  '--enable-precise-memory-info',
  '--js-flags=--expose-gc',
];

/** How long anything in a page may take on a machine that has much else to do. */
export const patienceMs = 120_000;

/** Starts the headless Chromium that came with npm, and sees to it that there are pages of today's sources to show. */
export async function launchBrowser(): Promise<Browser> {
  buildConsole(join(import.meta.dirname, '..', '..', '..'));
  const executablePath = await unpackChromium();
  const args = [...chromium.args.filter((word) => !unwanted.has(word)), ...quiet];
  return driver.launch({ args, executablePath, headless: true, timeout: patienceMs });
}

/** It is unpacked once, by one at a time: whoever found half of it would start half of it. */
async function unpackChromium(): Promise<string> {
  const folder = join(cacheDirectory(), 'chromium');
  mkdirSync(folder, { recursive: true });
  const release = await holdAlone('chromium');
  const before = process.env.TMPDIR;
  try {
    process.env.TMPDIR = folder;
    return await chromium.executablePath();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    await release();
  }
}

/** How a page is opened. */
export interface PageOptions {
  readonly theme?: 'light' | 'dark';
}

/** Opens a page in which nothing of another one is stored. */
export async function openPage(
  t: Pick<TestContext, 'after'>,
  browser: Browser,
  { theme = 'light' }: PageOptions = {},
): Promise<Page> {
  const context = await browser.newContext({
    // Its authority is one that the browser does not know.
    ignoreHTTPSErrors: true,
    colorScheme: theme,
    viewport: { width: 1360, height: 860 },
    reducedMotion: 'reduce',
  });
  t.after(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  page.setDefaultNavigationTimeout(patienceMs);
  return page;
}

/** Logs in with a token; the console is built first if nobody has yet. */
export async function logIn(
  page: Page,
  { url, token }: { readonly url: string; readonly token: string },
): Promise<void> {
  await page.goto(url);
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

/** Keeps a picture of the page outside the work tree, in the cache folder. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = join(cacheDirectory(), 'console-screenshots');
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
