import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { keepScreenshot, launchBrowser, logIn, openPage } from './browser.ts';
import { hostName, type ManyHosts, portsOfSwitch, startManyHosts, switchName } from './many-hosts.ts';

const count = 5000;
const switches = 40;
let browser: Browser;
let plane: ManyHosts;

before(async () => {
  [plane, browser] = await Promise.all([startManyHosts(count, { switches }), launchBrowser()]);
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

test('of many switches only those in sight are in the page, and the rest come by scrolling', async (t) => {
  const page = await openPage(t, browser);
  await logIn(page, plane);
  await page.getByRole('link', { name: 'Network' }).click();
  await page.getByText(`${switches} switches, ${switches * portsOfSwitch} ports`).waitFor();
  await page.getByRole('region', { name: switchName(0) }).waitFor();
  const drawn = page.locator('.faceplate');
  assert.ok((await drawn.count()) < switches / 2, `${await drawn.count()} switches are in the page`);
  await keepScreenshot(page, 'network-many');
  const last = page.getByRole('region', { name: switchName(switches - 1) });
  const scroll = () =>
    page.locator('main').evaluate((element) => {
      (element as unknown as { scrollTo(x: number, y: number): void }).scrollTo(0, 1e9);
    });
  await scroll();
  await last.waitFor();
  assert.ok((await drawn.count()) < switches / 2);
  await scroll();
  await keepScreenshot(page, 'network-many-end');
  await page.getByRole('region', { name: 'Tenants and their limits' }).waitFor();
});
