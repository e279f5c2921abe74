import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as driver, type Page } from 'playwright-core';
import { cacheDirectory } from '../kube/binaries.ts';

/** What keeps the browser from asking others than the page does. */
const quiet = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // The certificate is of an authority that this machine does not know.
  '--ignore-certificate-errors',
  '--enable-precise-memory-info',
  '--js-flags=--expose-gc',
];

/** Starts a headless Chromium that came with npm. */
export async function launchBrowser(): Promise<Browser> {
  return driver.launch({
    args: [...chromium.args, ...quiet],
    executablePath: await chromium.executablePath(),
    headless: true,
  });
}

/** How a page is opened. */
export interface PageOptions {
  readonly theme?: 'light' | 'dark';
}

/** Opens a page of its own: nothing of another one is stored in it. Errors in it fail the test. */
export async function openPage(t: TestContext, browser: Browser, { theme = 'light' }: PageOptions = {}): Promise<Page> {
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    colorScheme: theme,
    viewport: { width: 1360, height: 860 },
    reducedMotion: 'reduce',
  });
  t.after(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
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

/** Where pictures are kept: outside the work tree. */
export function screenshotFolder(): string {
  const folder = join(cacheDirectory(), 'console-screenshots');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Keeps a picture of the page. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(screenshotFolder(), `${name}.png`) });
}
