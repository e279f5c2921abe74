import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { keepScreenshot, launchBrowser, logIn, openPage } from './browser.ts';
import { hostName, type ManyHosts, startManyHosts } from './many-hosts.ts';

const count = 5000;
let browser: Browser;
let plane: ManyHosts;

before(async () => {
  [plane, browser] = await Promise.all([startManyHosts(count), launchBrowser()]);
});
after(async () => {
  await browser?.close();
  await plane?.close();
});

test('of 5,000 hosts only those in sight are in the page, the rest come by scrolling, and changes are shown', async (t) => {
  const page = await openPage(t, browser);
  await logIn(page, plane);
  await page.getByText(`${count} hosts`, { exact: true }).waitFor();
  await keepScreenshot(page, 'fleet-5000-racks');
  await page.getByRole('button', { name: 'Table' }).click();
  const table = page.getByRole('table', { name: 'Hosts' });
  await table.getByRole('link', { name: hostName(0), exact: true }).waitFor();
  const rows = await table.getByRole('row').count();
  assert.ok(rows < 80, `${rows} rows are in the page`);
  await keepScreenshot(page, 'fleet-5000-table');
  const last = table.getByRole('row').filter({ hasText: hostName(count - 1) });
  await page.getByRole('region', { name: 'Hosts, scrolls' }).evaluate((element) => {
    (element as unknown as { scrollTo(x: number, y: number): void }).scrollTo(0, 1e9);
  });
  await last.waitFor();
  assert.ok((await table.getByRole('row').count()) < 80);
  for (const isOn of [true, false]) {
    await plane.change([count - 1], isOn);
    await last.getByText(isOn ? 'on' : 'off → on', { exact: true }).waitFor();
  }
});
