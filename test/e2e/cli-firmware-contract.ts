import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { excludeLabel, ironcoreApiVersion } from '../../src/api/index.ts';
import type { FirmwareAdmission, FirmwarePlan, ServerExplanation } from '../../src/firmware/index.ts';
import {
  type ApiRig,
  fw,
  putFirmware,
  putGroup,
  putServer,
  startControllers,
  until,
  uuidOf,
} from '../../src/firmware/testing/rig.ts';
import { type CliOptions, type CliResult, runCli, temporaryFolder } from './cli-fixture.ts';

/** An API server with the kinds of firmware, and how to reach it. */
export interface PlannedPlane {
  readonly kubeconfig: string;
  readonly api: ApiRig;
  /** The rules of admission, where the API server asks them. */
  readonly admission?: FirmwareAdmission | undefined;
  close(): Promise<void>;
}

const groupFile = (version: string, more = '') => `
apiVersion: ${ironcoreApiVersion}
kind: ServerFirmwareGroup
metadata: {name: prod}
spec:
  manufacturer: Lenovo
  model: 7x21
  serverSelector: {matchLabels: {env: prod}}
  firmwares: [{name: ssd, manufacturer: ACME, version: "${version}"}]
${more}`;

/** For tests: `rackwright plan firmware` and `rackwright why` on any API server. */
export function runFirmwareCommandsContract(
  where: string,
  open: () => Promise<PlannedPlane>,
  { isAdmissionAsked }: { readonly isAdmissionAsked: boolean },
): void {
  const folder = temporaryFolder();
  let plane: PlannedPlane;
  let api: ApiRig;

  const cli = (words: readonly string[], options: CliOptions = {}): Promise<CliResult> =>
    runCli([...words, '--kubeconfig', plane.kubeconfig], { cwd: folder.path, ...options });

  async function planOf(words: readonly string[] = [], options: CliOptions = {}): Promise<FirmwarePlan> {
    const { code, out, err } = await cli(['plan', 'firmware', ...words, '-o', 'json'], options);
    assert.equal(code, 0, err);
    return JSON.parse(out) as FirmwarePlan;
  }

  /** Scanned a moment ago. */
  async function putScanned(
    name: string,
    installed: readonly ReturnType<typeof fw>[],
    labels: Record<string, string> = {},
  ) {
    await putServer(api, name, { labels });
    await putFirmware(api, name, {
      labels,
      spec: name === 'own' ? { firmwares: [fw('bmc', '7'), fw('ssd', '5')] } : {},
    });
    const lastScanTime = new Date().toISOString().replace(/\.\d+/, '');
    await api.firmwares.status.patch(
      { name },
      { type: 'merge', body: { status: { lastScanTime, firmwares: installed } } },
    );
  }

  before(async () => {
    plane = await open();
    ({ api } = plane);
    await putScanned('web-1', [fw('ssd', '1')], { env: 'prod' });
    await putScanned('web-2', [fw('ssd', '2')], { env: 'prod', tier: 'web' });
    await putScanned('own', [fw('bmc', '6'), fw('ssd', '1')], { env: 'prod' });
    await putScanned('test-1', [fw('ssd', '1')], { env: 'test' });
    await putServer(api, 'out', { labels: { [excludeLabel]: 'yes' } });
    await putServer(api, 'new', { labels: { env: 'dev' } });
    await putFirmware(api, 'new', { labels: { env: 'dev' } });
    const applied = await cli(['apply', '-f', '-'], { input: groupFile('2') });
    assert.equal(applied.code, 0, applied.err);
  });
  after(async () => {
    await plane?.close();
    folder.remove();
  });

  describe(`rackwright plan firmware on ${where}`, () => {
    test('shows what would be installed in order, what not and why, and adds it up', async () => {
      const { out, code, err } = await cli(['plan', 'firmware']);
      assert.equal(code, 0, err);
      assert.match(out, /^SERVER +ORDER +FIRMWARE +MAKER +INSTALLED +WANTED +FOR +RESTARTS\n/);
      assert.match(
        out,
        /\nown +1 +bmc +ACME +6 +7 +server +BMC\nown +2 +ssd +ACME +1 +5 +override of prod \(2\) +host\n/,
      );
      assert.match(out, /\nweb-1 +1 +ssd +ACME +1 +2 +group prod +host\n/);
      assert.match(out, /\nout +inert +Excluded +- +Nothing is done: Server out carries the label/);
      assert.match(out, /\nnew +scan +NeverScanned +- +What is installed is not known/);
      assert.match(out, /\nprod +3 +0 +0 +3 +-\n/);
      assert.match(out, /6 servers at .*: 2 update, 1 scan, 1 inert, 1 no-target, 1 up-to-date\.\n/);
      assert.match(
        out,
        /2 servers would be updated: 3 installs with 2 reboots of the host and 1 restart of the BMC\.\n$/,
      );
    });

    test('chooses by labels and by names of servers, and adds up only those', async () => {
      const names = async (...words: string[]) => (await planOf(words)).servers.map((each) => each.server);
      assert.deepEqual(await names('env=prod,tier!=web'), ['own', 'web-1']);
      assert.deepEqual(await names('-l', 'tier'), ['web-2']);
      assert.deepEqual(await names('env in (test,dev)'), ['new', 'test-1']);
      assert.deepEqual(await names('web-1', 'out'), ['out', 'web-1']);
      assert.deepEqual(await names('web-1,web-2'), ['web-1', 'web-2']);
      assert.deepEqual(await names(uuidOf('test-1').toUpperCase()), ['test-1']);
      const { totals, groups } = await planOf(['web-1']);
      assert.deepEqual([totals.servers, totals.installs, groups[0]?.serversInGroup], [1, 1, 3]);
      const none = await cli(['plan', 'firmware', 'env=none']);
      assert.deepEqual([none.code, none.err], [0, 'No servers found\n']);
    });

    test('-f plans as if a changed group was applied, and changes nothing', async () => {
      const before = await api.groups.list();
      const plan = await planOf(['env=prod', '-f', '-'], { input: groupFile('3') });
      assert.deepEqual(plan.assumed, [
        { kind: 'ServerFirmwareGroup', name: 'prod', source: 'standard input:2', change: 'configured' },
      ]);
      const wanted = plan.servers.map((each) => [
        each.server,
        each.installs.find(({ name }) => name === 'ssd')?.wanted,
      ]);
      assert.deepEqual(wanted, [
        ['own', '5'],
        ['web-1', '3'],
        ['web-2', '3'],
      ]);
      const paused = await planOf(['web-1', '-f', '-'], { input: groupFile('3', '  paused: true\n') });
      const [web] = paused.servers;
      assert.deepEqual(
        [web?.state, web?.waiting.map(({ wanted: to, reason }) => `${to} ${reason}`)],
        ['blocked', ['3 GroupPaused']],
      );
      assert.deepEqual(await api.groups.list(), before);
    });

    test('-f plans new groups and overrides, too, and tells of what plays no part', async () => {
      const files = [
        `apiVersion: ${ironcoreApiVersion}\nkind: ServerFirmwareGroup\nmetadata: {name: test}\nspec: {manufacturer: Lenovo, model: 7x21, serverSelector: {matchLabels: {env: test}}, firmwares: [{name: ssd, manufacturer: ACME, version: "9"}]}`,
        `apiVersion: ${ironcoreApiVersion}\nkind: ServerFirmware\nmetadata: {name: web-1}\nspec: {serverRef: {name: web-1}, firmwares: [{name: ssd, manufacturer: ACME, version: "4"}]}`,
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}',
      ];
      writeFileSync(join(folder.path, 'change.yaml'), files.join('\n---\n'));
      const { out, err, code } = await cli(['plan', 'firmware', '-f', 'change.yaml', '-o', 'json']);
      assert.equal(code, 0, err);
      assert.equal(err, 'change.yaml:11: ConfigMap other plays no part in a plan\n');
      const { servers, assumed } = JSON.parse(out) as FirmwarePlan;
      const planned = new Map(servers.map((each) => [each.server, each]));
      assert.deepEqual(
        assumed.map(({ change }) => change),
        ['created', 'configured'],
      );
      assert.deepEqual(planned.get('test-1')?.installs[0]?.wantedBy, { kind: 'group', group: 'test' });
      assert.deepEqual(planned.get('web-1')?.installs[0]?.wantedBy, {
        kind: 'override',
        group: 'prod',
        groupVersion: '2',
      });
      await assert.rejects(api.groups.get({ name: 'test' }), /not found/);
    });

    test('what cannot be meant is refused with what and where', async () => {
      const cases: [string[], number, RegExp][] = [
        [['env=prod,,x'], 2, /the selector "env=prod,,x" cannot be read at letter 10: the key of a label is missing/],
        [['web-1', 'env=prod'], 2, /by a selector or by their names, not both/],
        [['env=prod', 'tier=web'], 2, /joined by commas/],
        [['web-1', '-l', 'env'], 2, /not both/],
        [['wbe-1'], 1, /there is no Server, ServerFirmware, BMC or system UUID "wbe-1"; did you mean web-1/],
        [['-o', 'xml'], 2, /-o xml: not a form of output; there are json/],
        [['-f', 'missing.yaml'], 1, /missing\.yaml does not exist/],
        [['--max-attempts', 'none'], 2, /--max-attempts/],
      ];
      for (const [words, code, message] of cases) {
        const result = await cli(['plan', 'firmware', ...words]);
        assert.match(result.err, message);
        assert.deepEqual([result.code, result.out], [code, ''], words.join(' '));
      }
      const wrong = await cli(['plan', 'firmware', '-f', '-'], { input: groupFile('3', '  colour: red\n') });
      assert.deepEqual([wrong.code, wrong.out], [1, '']);
      assert.match(wrong.err, /standard input:2: applying ServerFirmwareGroup prod would be refused: .*colour/);
      const other = await cli(['plan', 'firmware', '-f', '-'], {
        input: '{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}',
      });
      assert.match(other.err, /neither a ServerFirmware nor a ServerFirmwareGroup/);
    });
  });

  describe(`rackwright why on ${where}`, () => {
    test('tells in sentences why a server is as it is, and what happened to it', async () => {
      const { metadata } = await api.firmwares.get({ name: 'own' });
      const event = {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'own.1' },
        involvedObject: { apiVersion: ironcoreApiVersion, kind: 'ServerFirmware', name: 'own', uid: metadata.uid },
        type: 'Warning',
        reason: 'AttemptsExhausted',
        message: 'it was tried\u001b[31m thrice',
        lastTimestamp: '2026-01-02T03:04:05Z',
      };
      await cli(['apply', '-f', '-'], { input: JSON.stringify(event) });
      const { out, code, err } = await cli(['why', 'own']);
      assert.equal(code, 0, err);
      assert.match(out, /^Server own is a Lenovo 7x21, system UUID .*\. Its ServerFirmware is own\.\n/);
      assert.match(
        out,
        /an update would be asked for now: bmc \(ACME\) 6 to 7 for the server itself, then ssd \(ACME\) 1 to 5 for an override of 2 of the group prod\./,
      );
      assert.match(out, /That takes 1 reboot of the host and 1 restart of the BMC\./);
      assert.match(out, /ssd +ACME +1 +5 +override of prod \(2\) +/);
      assert.match(
        out,
        /Warning +ServerFirmware\/own +AttemptsExhausted +2026-01-02T03:04:05Z +it was tried \[31m thrice\n/,
      );
    });

    test('-o json holds the same, for a server by UUID, one that is excluded, and one without anything', async () => {
      const explain = async (word: string): Promise<ServerExplanation> =>
        JSON.parse((await cli(['why', word, '-o', 'json'])).out) as ServerExplanation;
      const web = await explain(uuidOf('web-2'));
      assert.deepEqual(
        [web.kind, web.formatVersion, web.plan.state, web.plan.group],
        ['ServerExplanation', 1, 'up-to-date', 'prod'],
      );
      const out = await explain('out');
      assert.deepEqual(
        [out.plan.state, out.advice[0]?.command],
        ['inert', `rackwright label server out ${excludeLabel}-`],
      );
      const [plan] = (await planOf(['web-2'])).servers;
      assert.deepEqual({ ...web.plan, lookedAtNext: '' }, { ...plan, lookedAtNext: '' });
    });

    test('a server that does not exist is refused with near names, and a BMC by why it has none', async () => {
      const unknown = await cli(['why', 'web-11']);
      assert.deepEqual([unknown.code, unknown.out], [1, '']);
      assert.match(unknown.err, /there is no Server, .* "web-11"; did you mean web-1, /);
      await api.bmcs.create({
        apiVersion: ironcoreApiVersion,
        kind: 'BMC',
        metadata: { name: 'lonely' },
        spec: { access: { ip: '192.0.2.1' }, protocol: { name: 'Redfish', port: 443 }, bmcSecretRef: { name: 's' } },
      } as never);
      const bmc = await cli(['why', 'lonely']);
      assert.match(
        bmc.err,
        /BMC lonely has no Server: it was not read yet\n"rackwright describe bmc lonely" tells more/,
      );
    });
  });

  test(`on ${where}, what was planned is what the controllers then ask for, in entries, requests and versions`, async (t) => {
    const plan = await planOf();
    const rig = await startControllers(api);
    t.after(() => rig.stop());
    for (const { serverFirmware, asks } of plan.servers) {
      if (serverFirmware === undefined) continue;
      const kind = asks.includes('update') ? 'Update' : asks.includes('scan') ? 'Scan' : undefined;
      await until(
        api.firmwares,
        serverFirmware,
        ({ status, metadata }) => status?.request?.kind === kind && status?.observedGeneration === metadata.generation,
      );
    }
    const asked = rig.service.asked.map((each) => [
      each.kind === 'discover' ? '' : each.request.server.name,
      each.kind,
      each.kind === 'update' ? each.request.firmwares.map(({ name, version }) => `${name} ${version}`).toSorted() : [],
    ]);
    const planned = plan.servers.flatMap(({ server: name, asks, installs }) =>
      asks.map((ask) => [
        name,
        ask,
        ask === 'update' ? installs.map(({ name: part, wanted }) => `${part} ${wanted}`).toSorted() : [],
      ]),
    );
    assert.deepEqual(asked.toSorted(), planned.toSorted());
    const after = await planOf();
    assert.deepEqual(
      after.servers.filter(({ state }) => state === 'under-way').map(({ server: name }) => name),
      ['new', 'own', 'web-1'],
    );
  });

  if (!isAdmissionAsked) return;

  test(`on ${where}, groups that change together are planned together, and refused when they clash`, async (t) => {
    assert.ok(plane.admission);
    const rig = await startControllers(api);
    t.after(() => rig.stop());
    const { fleet, informers } = rig.controllers;
    plane.admission.attach({ fleet, discovered: informers.discovered }, async () => true);
    await putGroup(api, 'rival', { serverSelector: { matchLabels: { rack: 'a1' } }, firmwares: [fw('ssd', '8')] });
    await until(api.groups, 'rival', ({ status }) => status?.observedGeneration === 1);
    const selecting = (name: string, labels: string) =>
      `apiVersion: ${ironcoreApiVersion}\nkind: ServerFirmwareGroup\nmetadata: {name: ${name}}\nspec: {manufacturer: Lenovo, model: 7x21, serverSelector: {matchLabels: ${labels}}}\n`;
    const clash = selecting('rival', '{env: prod}');
    const refused = await cli(['plan', 'firmware', '-f', '-', '--force-conflicts'], { input: clash });
    assert.equal(refused.code, 1);
    assert.match(refused.err, /applying ServerFirmwareGroup rival would be refused: .*intersect/);
    const both = await cli(['plan', 'firmware', '-f', '-', '--force-conflicts', '-o', 'json'], {
      input: `${clash}---\n${selecting('prod', '{env: test}')}`,
    });
    assert.equal(both.code, 0, both.err);
    assert.match(both.err, /^Warning: standard input:1: apply it after the others of these files; .*intersect/m);
    const groupsAfter = (JSON.parse(both.out) as FirmwarePlan).servers.map(({ server: name, group }) => [name, group]);
    assert.deepEqual(Object.fromEntries(groupsAfter), {
      new: undefined,
      out: undefined,
      own: 'rival',
      'test-1': 'prod',
      'web-1': 'rival',
      'web-2': 'rival',
    });
    const neither = await cli(['plan', 'firmware', '-f', '-', '--force-conflicts'], {
      input: `${clash}---\n${selecting('prod', '{env: prod, tier: web}')}`,
    });
    assert.equal(neither.code, 1);
    assert.match(neither.err, /would be refused: .*intersect/);
  });
}
