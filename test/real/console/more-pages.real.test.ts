import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { until } from '../ironic/until.ts';
import { seriousProblems } from './accessibility.ts';
import { keepScreenshot, launchBrowser, logIn, openPage, patienceMs } from './browser.ts';
import { type ConsoleRig, startConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
let browser: Browser;

before(async () => {
  [rig, browser] = await Promise.all([startConsoleRig(['--simulate', '4', '--discoverable', '2']), launchBrowser()]);
  await post('/api/v1/namespaces', { metadata: { name: 'lab' } });
  await post('/apis/metal3.io/v1alpha1/namespaces/lab/switchresourcelimits', {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'SwitchResourceLimit',
    metadata: { name: 'user-limit', namespace: 'lab' },
    spec: { vlanRange: '200-210' },
  });
  await post('/apis/metal3.io/v1alpha1/namespaces/lab/baremetalhostdiscoveries', {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHostDiscovery',
    metadata: { name: 'all', namespace: 'lab' },
    spec: {
      resourceNameTemplate: { prefix: 'lab-', hardwareDetails: 'hostname' },
      quarantine: true,
      pollIntervalSeconds: 5,
    },
  });
});
after(async () => {
  await browser?.close();
  await rig?.close();
});

function post(path: string, body: object): Promise<unknown> {
  return rig.client.request({ method: 'POST', path, body });
}

function read<T>(path: string): Promise<T> {
  return rig.client.request<T>({ method: 'GET', path });
}

async function openAs(t: Parameters<typeof openPage>[0], token: string, theme?: 'light' | 'dark'): Promise<Page> {
  const page = await openPage(t, browser, theme === undefined ? {} : { theme });
  page.on('dialog', (dialog) => void dialog.accept());
  await logIn(page, { url: rig.url, token });
  return page;
}

const port = 'tor-r01-a-ethernet1-2';
const portPath = `/apis/metal3.io/v1alpha1/namespaces/simulated/switchports/${port}`;

interface Discovered {
  readonly items: readonly {
    readonly spec: { readonly manufacturer: string; readonly model: string };
    readonly status?: { readonly firmwares?: readonly { readonly name: string; readonly versions?: string[] }[] };
  }[];
}

/** The newest version of a part that was discovered so far. */
async function newestForDell(): Promise<string | undefined> {
  const { items } = await read<Discovered>('/apis/metal.ironcore.dev/v1alpha1/discoveredfirmwares');
  const dell = items.find(({ spec }) => spec.model === 'PowerEdge R750');
  return dell?.status?.firmwares?.find(({ name }) => name === 'cpld')?.versions?.at(-1);
}

describe('the console', () => {
  test('plans a group of servers, applies it, and plans a change of it', async (t) => {
    const page = await openAs(t, rig.adminToken);
    await page.getByRole('link', { name: 'Firmware' }).click();
    const machines = page.getByRole('table', { name: 'Compliance of machines' }).getByRole('row');
    // A plan tells what is to be installed once it is known what there is.
    await machines.filter({ hasText: 'r01-s01-system-0' }).getByText('no target').waitFor();
    const newest = await until({ what: 'firmware for the R750', timeoutMs: patienceMs, look: newestForDell });
    await page.getByRole('link', { name: 'New group' }).click();
    await page.getByLabel('Name', { exact: true }).fill('dell');
    const hardware = page.getByLabel('Hardware');
    await hardware.locator('option', { hasText: 'PowerEdge R750' }).waitFor({ state: 'attached' });
    await hardware.selectOption('Dell Inc. / PowerEdge R750');
    await page.getByLabel('Servers with labels').fill('rackwright.io/rack=r01');
    await page.getByLabel(/^cpld/).selectOption(newest);
    await page.locator('button[aria-disabled="true"]', { hasText: 'Apply' }).waitFor();
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    const plan = page.getByRole('region', { name: 'Plan', exact: true });
    await plan.getByText(/1 install on 1 of 1 server/).waitFor();
    await plan.getByRole('table').getByText(`→ ${newest}`).waitFor();
    await keepScreenshot(page, 'firmware-plan');
    await assert.rejects(read('/apis/metal.ironcore.dev/v1alpha1/serverfirmwaregroups/dell'), /not found/);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('heading', { level: 1, name: 'dell' }).waitFor();
    await page.getByLabel('Write nothing to its servers').check();
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await plan.or(page.getByRole('alert')).first().waitFor();
    assert.deepEqual(await page.getByRole('alert').allTextContents(), []);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Applied. Its controller writes').waitFor();
    await page.getByRole('link', { name: 'All firmware' }).click();
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'dell', exact: true }) });
    await row.getByText('paused').waitFor();
    await keepScreenshot(page, 'firmware');
  });

  test('lets a discovered host out of quarantine', async (t) => {
    const page = await openAs(t, rig.adminToken);
    await page.getByRole('link', { name: 'Discovery' }).click();
    const table = page.getByRole('table', { name: 'Discovered hosts' });
    const row = table.getByRole('row').filter({ hasText: 'lab-r01-s05' });
    await row.getByText('in quarantine').waitFor();
    await row.getByText('CPUs', { exact: false }).waitFor();
    await keepScreenshot(page, 'discovery');
    await row.getByRole('button', { name: 'Approve lab-r01-s05' }).click();
    await row.getByText('new', { exact: true }).waitFor();
    const host = await read<{ metadata: { labels?: object } }>(
      '/apis/metal3.io/v1alpha1/namespaces/lab/baremetalhosts/lab-r01-s05',
    );
    assert.ok(!JSON.stringify(host.metadata.labels ?? {}).includes('quarantine'));
  });

  test('changes a port after showing what that would change', async (t) => {
    const page = await openAs(t, rig.adminToken);
    await page.getByRole('link', { name: 'Network' }).click();
    await page
      .getByRole('region', { name: 'tor-r01-a' })
      .getByRole('link', { name: /^Ethernet1\/2,/ })
      .click();
    await page.getByRole('heading', { level: 1, name: port }).waitFor();
    await page.getByText('Make a configuration').click();
    await page.getByLabel('Name', { exact: true }).fill('shop');
    await page.getByLabel('Untagged VLAN').fill('20');
    await page.getByRole('button', { name: 'Make it' }).click();
    const change = page.getByRole('table', { name: 'What that would change' });
    await change.getByRole('row', { name: /Untagged VLAN .* 20 differs/ }).waitFor();
    await keepScreenshot(page, 'port-change');
    await page.getByRole('button', { name: 'Link it' }).click();
    const facts = page.getByRole('region', { name: 'How it is' });
    await facts.getByText('Active', { exact: true }).waitFor();
    await page.getByRole('row', { name: /Untagged VLAN 20 20 same/ }).waitFor();
    const changed = await read<{ status: { observed?: { untaggedVLAN?: number } } }>(portPath);
    assert.equal(changed.status.observed?.untaggedVLAN, 20);
    await page.getByRole('link', { name: 'All switches' }).click();
    await page.getByRole('link', { name: /^Ethernet1\/2, VLAN 20, Active/ }).waitFor();
    await page.getByRole('row', { name: /^lab 200-210 none within its limit/ }).waitFor();
    await keepScreenshot(page, 'network');
  });

  test('tells who changed what, and finds it by its name', async (t) => {
    const page = await openAs(t, rig.adminToken);
    await page.getByRole('link', { name: 'Audit' }).click();
    const table = page.getByRole('table', { name: 'Audit log' });
    await table.getByRole('row').nth(1).waitFor();
    await keepScreenshot(page, 'audit');
    await page.getByRole('searchbox', { name: 'Name', exact: true }).fill(port);
    const row = table.getByRole('row').filter({ hasText: `switchports simulated/${port}` });
    await row.filter({ hasText: 'admin' }).filter({ hasText: 'browser' }).getByText('done').first().waitFor();
    assert.ok(!(await page.content()).includes(rig.adminToken));
  });

  test('greys what a viewer may not do, plans nothing for them and keeps the audit log from them', async (t) => {
    const page = await openAs(t, await rig.tokenWith('onlooker', 'rackwright-viewer'));
    await page.goto(`${rig.url}discovery`);
    const approve = page.locator('button[title*="do not let you patch baremetalhosts"]', { hasText: 'Approve' });
    await approve.first().waitFor();
    await keepScreenshot(page, 'discovery-viewer');
    await page.goto(`${rig.url}network/simulated/${port}`);
    await page.locator('button[title*="do not let you patch switchports"]').waitFor();
    const events = page.getByRole('region', { name: 'Events' });
    await events.getByText('Configured', { exact: true }).first().waitFor();
    await keepScreenshot(page, 'port-viewer');
    await page.goto(`${rig.url}audit`);
    await page.getByRole('alert').filter({ hasText: 'You may not see the audit log' }).waitFor();
    await page.goto(`${rig.url}firmware`);
    await page.locator('button[title*="do not let you create serverfirmwaregroups"]').waitFor();
  });

  test('says of events that may not be read that they are refused, not that there are none', async (t) => {
    const page = await openAs(t, await rig.tokenWith('network', 'rackwright-network-manager'));
    await page.goto(`${rig.url}network/simulated/${port}`);
    const events = page.getByRole('region', { name: 'Events' });
    await events.getByText(/You may not see this: .*events.* is forbidden/).waitFor();
  });

  for (const theme of ['light', 'dark'] as const) {
    test(`has pages of firmware, network, discovery and audit without a serious problem, ${theme}`, async (t) => {
      const page = await openAs(t, rig.adminToken, theme);
      const found: string[] = [];
      const check = async (name: string, path: string, isReady: ReturnType<Page['getByText']>): Promise<void> => {
        await page.goto(`${rig.url}${path}`);
        await isReady.first().waitFor();
        await keepScreenshot(page, `${name}-${theme}`);
        found.push(...(await seriousProblems(page)).map((problem) => `${name}: ${problem}`));
      };
      await check('firmware', 'firmware', page.getByText('r01-s04-system-0'));
      await check('firmware-group', 'firmware/new-group', page.getByLabel('Hardware'));
      await check('network', 'network', page.getByRole('region', { name: 'tor-r01-b' }));
      await check('port', `network/simulated/${port}`, page.getByRole('region', { name: 'Wanted and actual' }));
      await check('discovery', 'discovery', page.getByText('lab-r01-s06'));
      await check('audit', 'audit', page.getByRole('table', { name: 'Audit log' }).getByText('done'));
      assert.deepEqual(found, []);
    });
  }
});
