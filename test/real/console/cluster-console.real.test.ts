import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { startCli } from '../../e2e/cli-fixture.ts';
import { whyNoRealKube } from '../kube/binaries.ts';
import { type Answers, listenToAnswers } from './answers.ts';
import { keepScreenshot, launchBrowser, logIn, openPage } from './browser.ts';
import { bmcPassword, type ClusterRig, consoleUrlIn, hostPath, makeRole, startClusterRig } from './cluster-rig.ts';

const skip = whyNoRealKube();

interface Host {
  readonly metadata: {
    readonly annotations: Readonly<Record<string, string>>;
    readonly managedFields: readonly { readonly manager: string }[];
  };
}

const forbidsPatch = (namespace: string) => `Your roles do not let you patch baremetalhosts in namespace ${namespace}.`;

describe('the console beside a real cluster', { ...(skip === undefined ? {} : { skip }) }, () => {
  let rig: ClusterRig;
  let browser: Browser;

  before(async () => {
    rig = await startClusterRig((kubeconfig) => ['up', '--kubeconfig', kubeconfig]);
    browser = await launchBrowser();
    const read = ['get', 'list', 'watch'];
    await makeRole(rig, { namespace: 'lab', name: 'look', verbs: read });
    await makeRole(rig, { namespace: 'lab', name: 'work', verbs: [...read, 'patch'] });
  });
  after(async () => {
    await browser?.close();
    await rig?.close();
  });

  async function open(t: TestContext): Promise<{ page: Page; answers: Answers }> {
    const page = await openPage(t, browser);
    page.on('dialog', (dialog) => void dialog.accept());
    return { page, answers: await listenToAnswers(page) };
  }

  /** Whatever a page was answered, these are not for it. */
  function assertNoSecret(answers: Answers, token: string): void {
    const secrets = { 'the token of the process': rig.kube.adminToken, 'the password of BMCs': bmcPassword, token };
    for (const [what, secret] of Object.entries(secrets)) {
      for (const spelt of [secret, Buffer.from(secret).toString('base64')]) {
        assert.ok(!answers.text().includes(spelt), `${what} was answered`);
      }
    }
  }

  function kubectl(...words: string[]): string {
    const env = { ...process.env, KUBECONFIG: rig.kube.kubeconfigPath };
    const { status, stdout, stderr } = spawnSync(rig.kube.kubectl, words, { env, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return stdout;
  }

  function hostOf(namespace: string, name: string): Promise<Host> {
    return rig.client.request<Host>({ method: 'GET', path: hostPath(namespace, name) });
  }

  test('lets nobody in with a token that the cluster does not know, and whom it knows under their own name', async (t) => {
    const token = await rig.tokenOf({ name: 'viewer', roles: ['rackwright-viewer'] });
    const { page } = await open(t);
    await page.goto(rig.url);
    await page.getByLabel('Token').fill(`${token.slice(0, -8)}AAAAAAAA`);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').filter({ hasText: 'The server does not know this token.' }).waitFor();
    await keepScreenshot(page, 'cluster-log-in');
    await logIn(page, { url: rig.url, token });
    await page.getByText('system:serviceaccount:default:viewer').waitFor();
  });

  test('shows the hosts of the cluster, and what kubectl changes, without being asked', async (t) => {
    const token = await rig.tokenOf({ name: 'follower', roles: ['rackwright-viewer'] });
    const { page, answers } = await open(t);
    await logIn(page, { url: rig.url, token });
    await page.getByText('3 hosts', { exact: true }).waitFor();
    const slot = page.getByRole('region', { name: 'Rack r01' }).getByRole('link', { name: /r01-s02/ });
    await slot.getByText(', on', { exact: false }).waitFor({ state: 'attached' });
    await rig.report('lab', 'r01-s02', { poweredOn: false });
    await slot.getByText(', off', { exact: false }).waitFor({ state: 'attached' });
    kubectl('label', 'baremetalhost', '-n', 'shop', 'r02-s01', 'rackwright.io/rack=r09');
    await page
      .getByRole('region', { name: 'Rack r09' })
      .getByRole('link', { name: /r02-s01/ })
      .waitFor();
    await keepScreenshot(page, 'cluster-fleet');
    await rig.report('lab', 'r01-s02', { poweredOn: true });
    // What the watch told was heard, or nothing could be said about what it did not tell.
    assert.match(answers.text(), /"type":"MODIFIED".*"name":"r02-s01"/);
    assertNoSecret(answers, token);
  });

  test('does what somebody may as themselves, and tells the cluster so', async (t) => {
    const user = 'system:serviceaccount:default:ann';
    // As the page about the console tells it.
    const account = ['--serviceaccount', 'default:ann'];
    kubectl('create', 'serviceaccount', 'ann');
    kubectl('create', 'clusterrolebinding', 'ann-views', '--clusterrole', 'rackwright-viewer', ...account);
    kubectl('create', 'rolebinding', 'ann-uses', '--clusterrole', 'rackwright-host-user', ...account, '-n', 'lab');
    const token = kubectl('create', 'token', 'ann', '--duration', '8h').trim();
    const { page, answers } = await open(t);
    await logIn(page, { url: rig.url, token });
    await page.getByRole('link', { name: /r01-s01/ }).click();
    await page.getByRole('heading', { level: 1, name: /r01-s01/ }).waitFor();
    await page.getByRole('button', { name: 'Detach' }).click();
    await page.getByRole('button', { name: 'Attach' }).waitFor();
    await keepScreenshot(page, 'cluster-host-detached');
    const { metadata } = await hostOf('lab', 'r01-s01');
    assert.equal(metadata.annotations['baremetalhost.metal3.io/detached'], '{"deleteAction":"delay"}');
    assert.ok(metadata.managedFields.some(({ manager }) => manager === 'rackwright-console'));
    const write = await rig.audited('the patch in the audit log', (use) => use.verb === 'patch' && use.user === user);
    assert.equal(`${write.resource} ${write.namespace}/${write.name} ${write.code}`, 'baremetalhosts lab/r01-s01 200');
    // Elsewhere the same person looks only.
    await page.goto(`${rig.url}hosts/shop/r02-s01`);
    const reboot = page.locator('button[aria-disabled="true"]', { hasText: 'Reboot' });
    await reboot.and(page.locator(`[title="${forbidsPatch('shop')}"]`)).waitFor();
    assert.ok(answers.text().includes('"credentialsName":"bmc"'));
    assertNoSecret(answers, token);
  });

  test('shows who has a Role in one namespace its hosts, and greys what the Role forbids', async (t) => {
    const token = await rig.tokenOf({ name: 'looker', rolesIn: { namespace: 'lab', names: ['look'] } });
    const { page, answers } = await open(t);
    await logIn(page, { url: rig.url, token });
    await page.getByText(/You may not see this: .*cannot list .* at the cluster scope.*choose it above/).waitFor();
    await page.getByRole('searchbox', { name: 'Namespace' }).fill('lab');
    await page.getByRole('button', { name: 'Look there' }).click();
    await page.getByRole('status').getByText('2 hosts', { exact: true }).waitFor();
    await keepScreenshot(page, 'cluster-fleet-namespace');
    await page.getByRole('link', { name: /r01-s02/ }).click();
    const reboot = page.locator('button[aria-disabled="true"]', { hasText: 'Reboot' });
    await reboot.and(page.locator(`[title="${forbidsPatch('lab')}"]`)).waitFor();
    // What is not shown is not said to be none.
    const settings = page.getByRole('region', { name: /BIOS settings/ });
    await settings.getByText(/hostfirmwaresettings.* is forbidden/).waitFor();
    await keepScreenshot(page, 'cluster-host-limited');
    await reboot.click({ force: true });
    assert.ok(!JSON.stringify(await hostOf('lab', 'r01-s02')).includes('reboot.metal3.io'));
    assertNoSecret(answers, token);
  });

  test('has the cluster refuse what somebody may not, however they ask', async (t) => {
    const user = 'system:serviceaccount:default:asker';
    const token = await rig.tokenOf({ name: 'asker', rolesIn: { namespace: 'lab', names: ['look'] } });
    const { page, answers } = await open(t);
    await logIn(page, { url: rig.url, token });
    const ask = (path: string, options: object): Promise<{ code: number; message: string }> =>
      page.evaluate(
        `fetch(${JSON.stringify(path)}, ${JSON.stringify(options)}).then(async (answer) => ({ code: answer.status, ...(await answer.json()) }))`,
      );
    const reboot = { method: 'PATCH', body: '{"metadata":{"annotations":{"reboot.metal3.io":""}}}' };
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/merge-patch+json' };
    for (const more of [{}, { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' }]) {
      const answer = await ask(hostPath('lab', 'r01-s02'), { ...reboot, headers: { ...headers, ...more } });
      assert.equal(answer.code, 403);
      assert.match(answer.message, new RegExp(`"r01-s02" is forbidden: User "${user}" cannot patch`));
    }
    const secret = await ask('/api/v1/namespaces/lab/secrets/bmc', { headers });
    assert.equal(secret.code, 403);
    // Without a token nobody is asked: it would be somebody else who asks.
    assert.equal((await ask('/api/v1/namespaces/lab/secrets/bmc', {})).code, 401);
    await rig.audited(
      'the refusal in the audit log',
      (use) => use.verb === 'patch' && use.user === user && use.code === 403,
    );
    assertNoSecret(answers, token);
  });

  test('forgets what one person may do when another logs in', async (t) => {
    const { page } = await open(t);
    const [worker, looker] = await Promise.all([
      rig.tokenOf({ name: 'first', rolesIn: { namespace: 'lab', names: ['work'] } }),
      rig.tokenOf({ name: 'second', rolesIn: { namespace: 'lab', names: ['look'] } }),
    ]);
    await logIn(page, { url: `${rig.url}hosts/lab/r01-s02`, token: worker });
    await page.locator('button[aria-disabled="false"]', { hasText: 'Reboot' }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Token').fill(looker);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.locator(`button[title="${forbidsPatch('lab')}"]`, { hasText: 'Reboot' }).waitFor();
  });

  test('has its other pages there too, each with what the cluster and the services beside it say', async (t) => {
    const token = await rig.tokenOf({ name: 'reader', roles: ['rackwright-viewer', 'rackwright-rest-viewer'] });
    const { page, answers } = await open(t);
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    await logIn(page, { url: rig.url, token });
    const shown = {
      Tasks: 'Nothing runs right now.',
      Firmware: 'No server was read yet.',
      Network: 'There are no switch ports.',
      Discovery: 'Nothing is discovered',
      Audit: 'This cluster keeps its audit log itself',
    };
    for (const [name, text] of Object.entries(shown)) {
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByText(text).waitFor();
    }
    assert.deepEqual(faults, []);
    assertNoSecret(answers, token);
  });

  test('is served alone where the cluster has controllers of its own', async (t) => {
    const token = await rig.tokenOf({ name: 'guest', roles: ['rackwright-viewer', 'rackwright-rest-viewer'] });
    const words = ['--kubeconfig', rig.kube.kubeconfigPath, '--rest-url', rig.restUrl, '--console-port', '0'];
    const alone = startCli(['console', ...words]);
    t.after(() => alone.end('SIGTERM'));
    await alone.until('Ctrl-C stops it');
    const url = consoleUrlIn(alone);
    assert.notEqual(url, rig.url);
    const { page, answers } = await open(t);
    await logIn(page, { url, token });
    await page.getByText('3 hosts', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.getByText('Nothing runs right now.').waitFor();
    assertNoSecret(answers, token);
  });

  test('goes on by itself when the API server was away', async (t) => {
    const token = await rig.tokenOf({ name: 'patient', roles: ['rackwright-viewer'] });
    const { page } = await open(t);
    await logIn(page, { url: rig.url, token });
    const slot = page.getByRole('region', { name: 'Rack r01' }).getByRole('link', { name: /r01-s02/ });
    await slot.getByText(', on', { exact: false }).waitFor({ state: 'attached' });
    await rig.kube.restartApiServer();
    await rig.report('lab', 'r01-s02', { poweredOn: false });
    await slot.getByText(', off', { exact: false }).waitFor({ state: 'attached' });
    await page.getByText('live', { exact: true }).waitFor();
  });
});
