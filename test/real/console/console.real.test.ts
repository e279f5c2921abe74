import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { startCli, switchHost } from '../../e2e/cli-fixture.ts';
import { seriousProblems } from './accessibility.ts';
import { keepScreenshot, launchBrowser, logIn, openPage } from './browser.ts';
import { type ConsoleRig, startConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
let browser: Browser;

before(async () => {
  [rig, browser] = await Promise.all([startConsoleRig(), launchBrowser()]);
});
after(async () => {
  await browser?.close();
  await rig?.close();
});

const asAdmin = () => ({ url: rig.url, token: rig.adminToken });
const hostPage = (name: string) => `${rig.url}hosts/simulated/${name}`;

async function openAsAdmin(t: Parameters<typeof openPage>[0], theme: 'light' | 'dark' = 'light'): Promise<Page> {
  const page = await openPage(t, browser, { theme });
  await logIn(page, asAdmin());
  return page;
}

interface Inspected {
  readonly status: {
    readonly hardware: {
      readonly nics: readonly {
        readonly mac: string;
        readonly lldp?: { readonly switchSystemName: string; readonly portID: string };
      }[];
    };
  };
}

/** More than that in front of anything would be no way to get there. */
const mostTabs = 100;

/** Goes to something as somebody without a mouse does. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses <= mostTabs; presses++) {
    if ((await target.and(page.locator(':focus')).count()) === 1) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`${target} cannot be reached with the keyboard`);
}

describe('the console', () => {
  test('lets nobody in with a wrong token, and keeps a good one out of the page', async (t) => {
    const page = await openPage(t, browser);
    await page.goto(rig.url);
    await page.getByLabel('Token').fill('not-a-token');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').filter({ hasText: 'does not know this token' }).waitFor();
    await keepScreenshot(page, 'log-in');
    await logIn(page, asAdmin());
    await page.getByRole('link', { name: /r01-s01/ }).waitFor();
    assert.ok(!(await page.content()).includes(rig.adminToken));
    assert.equal(await page.evaluate('JSON.stringify(localStorage)'), '{}');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Token').waitFor();
    assert.equal(await page.evaluate('sessionStorage.length'), 0);
  });

  test('shows every host of the rack, as racks and as a table, and finds one', async (t) => {
    const page = await openAsAdmin(t);
    const rack = page.getByRole('region', { name: 'Rack r01' });
    await rack.getByRole('link').nth(7).waitFor();
    await keepScreenshot(page, 'fleet-racks');
    await page.getByRole('button', { name: 'Table' }).click();
    const table = page.getByRole('table', { name: 'Hosts' });
    await table.getByRole('link', { name: 'r01-s08' }).waitFor();
    await keepScreenshot(page, 'fleet-table');
    await page.getByLabel('Search hosts').fill('r01-s03');
    await page.getByText('1 of 8 hosts').waitFor();
    assert.deepEqual(await table.getByRole('link').allTextContents(), ['r01-s03']);
  });

  test('shows what others change, without being asked', async (t) => {
    const page = await openAsAdmin(t);
    const slot = page.getByRole('region', { name: 'Rack r01' }).getByRole('link', { name: /r01-s04/ });
    await slot.getByText(', off', { exact: false }).waitFor({ state: 'attached' });
    await switchHost({ dataDir: rig.dataDir, name: 'r01-s04', isOn: true });
    await slot.getByText(', on', { exact: false }).waitFor({ state: 'attached' });
  });

  test('makes a live update and follows it until the host is OK again', async (t) => {
    const page = await openAsAdmin(t);
    await page.goto(hostPage('r01-s08'));
    await page.getByRole('img', { name: /It is in provisioned/ }).waitFor();
    await keepScreenshot(page, 'host');
    await page.getByRole('button', { name: 'Live update' }).click();
    const form = page.getByRole('form', { name: 'Live update' });
    await form.getByLabel('Setting').fill('ProcTurbo');
    await form.getByLabel('Value').fill('Disabled');
    await keepScreenshot(page, 'host-live-update');
    const writes: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') writes.push(new URL(request.url()).pathname.split('/').at(-2) ?? '');
    });
    // By the page itself: a second click finds the first one still being asked for, however slow this machine is.
    await page.evaluate(`(async () => {
      const button = document.querySelector('form.live-update button[type=submit]');
      button.click();
      await new Promise((resolve) => setTimeout(resolve));
      button.click();
    })()`);
    await form.waitFor({ state: 'detached' });
    assert.deepEqual(writes, ['hostfirmwaresettings', 'baremetalhosts']);
    const timeline = page.getByRole('region', { name: 'Timeline and events' });
    await timeline.getByText('ServicingStarted').first().waitFor();
    await timeline.getByText('ServicingComplete').first().waitFor();
    await page.getByRole('heading', { level: 1 }).getByText('OK').waitFor();
    const setting = page
      .getByRole('region', { name: /BIOS settings/ })
      .locator('div', { hasText: /^ProcTurboDisabled$/ });
    await setting.waitFor();
    await keepScreenshot(page, 'host-updated');
  });

  test('is used with the keyboard alone: to log in, to find a host and to reboot it', async (t) => {
    const page = await openPage(t, browser);
    page.on('dialog', (dialog) => void dialog.accept());
    await page.goto(rig.url);
    await tabTo(page, page.getByLabel('Token'));
    await page.keyboard.insertText(rig.adminToken);
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('link', { name: /r01-s06/ }));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /r01-s06/ }).waitFor();
    await page.locator('button[aria-disabled="false"]', { hasText: 'Reboot' }).waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Reboot' }));
    await keepScreenshot(page, 'host-keyboard');
    const patched = page.waitForResponse(
      (answer) => answer.request().method() === 'PATCH' && answer.url().includes('/baremetalhosts/r01-s06'),
    );
    await page.keyboard.press('Enter');
    const answer = await patched;
    assert.equal(answer.status(), 200);
    assert.match(answer.request().postData() ?? '', /reboot\.metal3\.io/);
  });

  test('shows the switch port of each interface, how it is and where to change it', async (t) => {
    const hostPath = '/apis/metal3.io/v1alpha1/namespaces/simulated/baremetalhosts/r01-s07';
    const host = await rig.client.request<Inspected>({ method: 'GET', path: hostPath });
    const [card] = host.status.hardware.nics;
    assert.ok(card?.lldp !== undefined);
    const port = `${card.lldp.switchSystemName}-${card.lldp.portID}`.toLowerCase().replaceAll('/', '-');
    await rig.client.request({
      method: 'POST',
      path: '/apis/metal3.io/v1alpha1/namespaces/simulated/switchportconfigurations',
      body: {
        apiVersion: 'metal3.io/v1alpha1',
        kind: 'SwitchPortConfiguration',
        metadata: { name: 'work', namespace: 'simulated' },
        spec: { untaggedVLAN: 30 },
      },
    });
    await rig.client.request({
      method: 'PATCH',
      path: hostPath,
      contentType: 'application/merge-patch+json',
      body: { spec: { ports: [{ mac: card.mac, port: { name: port }, configuration: { name: 'work' } }] } },
    });
    const page = await openAsAdmin(t);
    await page.goto(hostPage('r01-s07'));
    const row = page.getByRole('region', { name: 'Ports' }).getByRole('row').filter({ hasText: card.mac });
    await row.getByText('Active', { exact: true }).waitFor();
    await row.getByText('has work').waitFor();
    await row.getByText(`${card.lldp.switchSystemName} ${card.lldp.portID}`).waitFor();
    await row.scrollIntoViewIfNeeded();
    // Firmware of cards and power supplies is filed under their own names, and each product has a row.
    const firmware = page.getByRole('region', { name: 'Firmware' });
    await firmware.getByRole('row', { name: /^nic Broadcom .* as it is [^–]+ \+\d/ }).waitFor();
    await firmware.getByRole('row', { name: /^nic Nvidia .* as it is [^–]+ \+\d/ }).waitFor();
    await firmware.getByRole('row', { name: /^psu .* as it is [^–]+ \+\d/ }).waitFor();
    await keepScreenshot(page, 'host-ports');
    await row.getByRole('link', { name: port }).click();
    await page.getByRole('heading', { level: 1, name: port }).waitFor();
    await page.getByRole('link', { name: 'simulated/r01-s07' }).waitFor();
  });

  test('cancels a condition', async (t) => {
    const install = startCli(['install-firmware', 'r01-s01', '--set', 'latest', '--data-dir', rig.dataDir]);
    t.after(() => install.end('SIGKILL'));
    const page = await openAsAdmin(t);
    await page.getByRole('link', { name: 'Tasks' }).click();
    page.on('dialog', (dialog) => void dialog.accept());
    const cancel = page.getByRole('button', { name: 'Cancel Firmware install on r01-s01' });
    await cancel.waitFor();
    await keepScreenshot(page, 'tasks');
    await cancel.click();
    await page.getByRole('button', { name: /^History/ }).click();
    const row = page.getByRole('row').filter({ hasText: 'r01-s01' }).filter({ hasText: 'Firmware install' });
    await row.getByText('cancelled', { exact: true }).first().waitFor();
    await keepScreenshot(page, 'tasks-history');
  });

  test('greys what the roles of somebody forbid, and says why', async (t) => {
    const token = await rig.tokenWith('looker', 'rackwright-viewer', 'rackwright-rest-viewer');
    const page = await openPage(t, browser);
    await logIn(page, { url: rig.url, token });
    await page.goto(hostPage('r01-s07'));
    const reboot = page.getByRole('button', { name: 'Reboot' });
    await page.locator('button[aria-disabled="true"]', { hasText: 'Reboot' }).waitFor();
    await page.locator('button[title*="do not let you patch baremetalhosts"]', { hasText: 'Reboot' }).waitFor();
    await keepScreenshot(page, 'host-viewer');
    await reboot.click({ force: true });
    const path = '/apis/metal3.io/v1alpha1/namespaces/simulated/baremetalhosts/r01-s07';
    const host = await rig.client.request<{ metadata: { annotations?: object } }>({ method: 'GET', path });
    assert.ok(!JSON.stringify(host.metadata.annotations ?? {}).includes('reboot.metal3.io'));
  });

  test('says what somebody may not see instead of showing nothing', async (t) => {
    const page = await openPage(t, browser);
    await logIn(page, { url: rig.url, token: await rig.tokenWith('nobody') });
    await page.getByText(/You may not see this: .*forbidden/).waitFor();
  });

  for (const theme of ['light', 'dark'] as const) {
    test(`has no serious problem for people who cannot see well or use a mouse, ${theme}`, async (t) => {
      const page = await openAsAdmin(t, theme);
      const found: string[] = [];
      const check = async (name: string): Promise<void> => {
        await keepScreenshot(page, `${name}-${theme}`);
        found.push(...(await seriousProblems(page)).map((problem) => `${name}: ${problem}`));
      };
      await page.getByRole('link', { name: /r01-s08/ }).waitFor();
      await check('fleet-racks');
      await page.getByRole('button', { name: 'Table' }).click();
      await page.getByRole('table', { name: 'Hosts' }).getByRole('link', { name: 'r01-s08' }).click();
      await page.getByRole('button', { name: 'Live update' }).click();
      await page.getByRole('form', { name: 'Live update' }).waitFor();
      await page.getByRole('row', { name: /bios/ }).waitFor();
      await check('host');
      await page.getByRole('link', { name: 'Tasks' }).click();
      await page.getByRole('button', { name: /^History/ }).click();
      await page.getByRole('table', { name: 'Tasks' }).waitFor();
      await check('tasks');
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByLabel('Token').waitFor();
      await check('log-in');
      assert.deepEqual(found, []);
    });
  }
});
