import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { BmcError, isBmcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { mutate, mutations } from '../testing/mutate.ts';
import { collection, resource, sampleTree } from '../testing/sample-tree.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { readBios } from './bios.ts';
import { readBiosOutcome } from './bios-outcome.ts';
import { planBiosChange } from './plan-bios-change.ts';
import { resetBiosToDefaults, stageBios } from './stage-bios.ts';

const biosPath = '/redfish/v1/Systems/1/Bios';
const settingsPath = `${biosPath}/Settings`;

const sample = (more: Record<string, JsonObject> = {}, root: JsonObject = {}) =>
  createScriptedBmc({ tree: sampleTree({ root: { Vendor: 'Contoso', ...root }, more }) });

test('attributes are read with their types, bounds and what is pending', async () => {
  const { bmc, gate } = sample();
  gate.change(settingsPath, { Attributes: { MemTest: 'Enabled' } });
  const bios = await readBios(bmc);
  assert.equal(bios.current.get('FanOffset'), 10);
  assert.deepEqual([...bios.pending], [['MemTest', 'Enabled']]);
  assert.deepEqual(bios.applyTimes, ['OnReset']);
  assert.equal(bios.settingsPath, settingsPath);
  assert.equal(bios.registry?.size, 6);
  assert.deepEqual(bios.registry?.get('BootMode')?.values[1], { value: 'Bios', shown: 'Legacy BIOS' });
});

test('the registry can be left out, and need not be there', async () => {
  const { bmc, gate } = sample();
  assert.equal((await readBios(bmc, { hasRegistry: false })).registry, undefined);
  assert.equal(
    gate.lines.some((line) => line.includes('Registries')),
    false,
  );
  gate.on('GET /redfish/v1/Registries/BiosAttributeRegistry.v1_0_0.json', () => 'malformed');
  assert.equal((await readBios(bmc)).registry, undefined);
});

test('a registry is found by its family where the version differs', async () => {
  const file = {
    Location: [
      { Language: 'de', Uri: '/de.json' },
      { Language: 'en-US', Uri: { extref: '/en.json' } },
    ],
  };
  const { bmc, gate } = sample({
    ...collection('/redfish/v1/Registries', { Base: {}, 'BiosAttributeRegistry.1.2.0': file }),
    '/en.json': { RegistryEntries: { Attributes: [{ AttributeName: 'X', Type: 'Integer' }] } },
  });
  gate.tree.delete('/redfish/v1/Registries/BiosAttributeRegistry.v1_0_0');
  assert.equal((await readBios(bmc)).registry?.get('X')?.type, 'Integer');
});

test('a system without BIOS settings says so', async () => {
  const { bmc } = createScriptedBmc({ tree: sampleTree({ system: { Bios: null } }) });
  await assert.rejects(
    readBios(bmc),
    (error) => isBmcError(error, 'unsupported') && /names no BIOS/.test(error.message),
  );
});

test('wishes are brought into the types of the registry', async () => {
  const bios = await readBios(sample().bmc);
  const plan = planBiosChange(bios, {
    BootMode: 'legacy bios',
    FanOffset: '15',
    Quiet: 'False',
    AssetTag: 7,
    MemTest: 'disabled',
  });
  assert.deepEqual(plan.problems, []);
  assert.deepEqual(
    [...plan.changes],
    [
      ['BootMode', 'Bios'],
      ['FanOffset', 15],
      ['Quiet', false],
      ['AssetTag', '7'],
    ],
  );
  assert.deepEqual(plan.unchanged, ['MemTest']);
});

test('every wish that cannot be is told with the reason', async () => {
  const bios = await readBios(sample().bmc);
  const cases: [string, string | number | boolean, string, RegExp][] = [
    ['bootmode', 'Uefi', 'unknown', /did you mean BootMode/],
    ['Nothing', 1, 'unknown', /no attribute Nothing/],
    ['BootMode', 'Cloud', 'bad-value', /it can be Uefi, Bios/],
    ['FanOffset', 200, 'out-of-bounds', /from 0 to 100/],
    ['FanOffset', -1, 'out-of-bounds', /from 0 to 100/],
    ['FanOffset', 7, 'bad-value', /steps of 5/],
    ['FanOffset', 'many', 'bad-type', /whole number/],
    ['FanOffset', 1.5, 'bad-type', /whole number/],
    ['Quiet', 'perhaps', 'bad-type', /true or false/],
    ['AssetTag', 'ABCDEFGHIJ', 'out-of-bounds', /8 characters; it would have 10/],
    ['AssetTag', 'abc', 'bad-value', /form/],
    ['SystemModel', 'other', 'read-only', /cannot be changed/],
  ];
  for (const [name, value, problem, message] of cases) {
    const { problems, changes } = planBiosChange(bios, { [name]: value });
    assert.equal(problems[0]?.problem, problem, name);
    assert.match(problems[0]?.message ?? '', message);
    assert.equal(changes.size, 0);
  }
});

test('without a registry the types of today count', async () => {
  const bios = await readBios(sample().bmc, { hasRegistry: false });
  const plan = planBiosChange(bios, { FanOffset: '20', Quiet: 'false', BootMode: 5, Unknown: 1, AssetTag: 'B' });
  assert.deepEqual(
    [...plan.changes],
    [
      ['FanOffset', 20],
      ['Quiet', false],
      ['BootMode', '5'],
      ['AssetTag', 'B'],
    ],
  );
  assert.deepEqual(
    plan.problems.map(({ attribute }) => attribute),
    ['Unknown'],
  );
});

test('what is staged already is not staged again', async () => {
  const { bmc, gate } = sample();
  gate.change(settingsPath, { Attributes: { MemTest: 'Enabled' } });
  const bios = await readBios(bmc);
  assert.deepEqual(planBiosChange(bios, { MemTest: 'Enabled' }).unchanged, ['MemTest']);
  assert.equal(planBiosChange(bios, { MemTest: 'Disabled' }).changes.get('MemTest'), 'Disabled', 'it is taken back');
});

test('a plan is staged at the settings object under its ETag; the apply time is said only where it can be', async () => {
  for (const times of [['OnReset'], []]) {
    const { bmc, gate } = sample();
    gate.change(biosPath, { '@Redfish.Settings': { SupportedApplyTimes: times } });
    gate.on(`GET ${settingsPath}`, () => ({ body: gate.tree.get(settingsPath) ?? {}, etag: '"v1"' }));
    const bios = await readBios(bmc);
    await stageBios(bmc, bios, planBiosChange(bios, { FanOffset: 15 }));
    const patch = gate.sent.find(({ method }) => method === 'PATCH');
    const when = times.length === 0 ? {} : { '@Redfish.SettingsApplyTime': { ApplyTime: 'OnReset' } };
    assert.deepEqual(patch?.body, { Attributes: { FanOffset: 15 }, ...when });
    assert.deepEqual([patch?.path, patch?.isDisruptive, patch?.headers], [settingsPath, true, { 'If-Match': '"v1"' }]);
  }
});

test('a plan with problems is not staged, one without changes sends nothing', async () => {
  const { bmc, gate } = sample();
  const bios = await readBios(bmc);
  const bad = planBiosChange(bios, { FanOffset: 15, Nothing: 1, Quiet: 'perhaps' });
  await assert.rejects(
    stageBios(bmc, bios, bad),
    (error) => isBmcError(error, 'unsupported') && /Nothing.*Quiet/.test(error.message),
  );
  await stageBios(bmc, bios, planBiosChange(bios, { FanOffset: 10 }));
  assert.equal(
    gate.sent.some(({ method }) => method !== 'GET'),
    false,
  );
});

test('a Dell that cannot be told when gets a job, in either place', async () => {
  for (const jobs of ['/redfish/v1/Managers/1/Oem/Dell/Jobs', '/redfish/v1/Managers/1/Jobs']) {
    const { bmc, gate } = sample({}, { Vendor: 'Dell' });
    gate.change(biosPath, { '@Redfish.Settings': { SupportedApplyTimes: [] } });
    gate.on(`POST ${jobs}`, () => ({ status: 200, headers: { location: '/redfish/v1/Managers/1/Jobs/JID_1' } }));
    const bios = await readBios(bmc);
    const staged = await stageBios(bmc, bios, planBiosChange(bios, { FanOffset: 15 }));
    assert.equal(staged.jobUri, '/redfish/v1/Managers/1/Jobs/JID_1');
    const post = gate.sent.find(({ path }) => path === jobs);
    assert.deepEqual(post?.body, { TargetSettingsURI: settingsPath });
  }
});

test('the outcome: pending until the reset, then applied', async () => {
  const { bmc, gate } = sample();
  const bios = await readBios(bmc);
  const staged = await stageBios(bmc, bios, planBiosChange(bios, { FanOffset: 15 }));
  assert.deepEqual(await readBiosOutcome(bmc, staged), {
    kind: 'pending',
    mismatches: [{ attribute: 'FanOffset', wanted: 15, current: 10 }],
  });
  gate.change(biosPath, { Attributes: { FanOffset: 15 }, '@Redfish.Settings': { Time: '2025-01-01T00:10:00Z' } });
  assert.deepEqual(await readBiosOutcome(bmc, staged), { kind: 'applied' });
});

test('the outcome: refused by the BIOS, with its words', async () => {
  const { bmc, gate } = sample();
  const bios = await readBios(bmc);
  const staged = await stageBios(bmc, bios, planBiosChange(bios, { FanOffset: 15 }));
  gate.change(settingsPath, { Attributes: { FanOffset: 10 } });
  gate.change(biosPath, {
    '@Redfish.Settings': {
      Time: '2025-01-01T00:10:00Z',
      Messages: [
        { MessageId: 'Base.1.8.Success', Severity: 'OK' },
        { MessageId: 'Base.1.8.PropertyValueConflict', Message: 'FanOffset conflicts', Severity: 'Warning' },
      ],
    },
  });
  const outcome = await readBiosOutcome(bmc, staged);
  assert.equal(outcome.kind, 'failed');
  assert.equal(outcome.kind === 'failed' ? outcome.message : '', 'FanOffset conflicts');
});

test('the outcome: applied without a word, and yet not changed', async () => {
  const { bmc, gate } = sample();
  const bios = await readBios(bmc);
  const staged = await stageBios(bmc, bios, planBiosChange(bios, { FanOffset: 15 }));
  gate.change(settingsPath, { Attributes: { FanOffset: 10 } });
  assert.equal((await readBiosOutcome(bmc, staged)).kind, 'pending');
  gate.change(biosPath, {
    '@Redfish.Settings': { Time: '2025-01-01T00:10:00Z', Messages: { MessageId: 'Base.1.0.Success' } },
  });
  const outcome = await readBiosOutcome(bmc, staged);
  assert.match(outcome.kind === 'failed' ? outcome.message : '', /FanOffset did not change/);
});

test("the outcome: a vendor's job that failed tells why", async () => {
  const job = '/redfish/v1/Managers/1/Jobs/JID_1';
  const { bmc, gate } = sample({
    [job]: resource(job, { JobState: 'CompletedWithErrors', Message: 'Unable to apply' }),
  });
  const bios = await readBios(bmc);
  gate.once(`PATCH ${settingsPath}`, () => ({ status: 202, headers: { location: `https://bmc.test${job}` } }));
  const staged = await stageBios(bmc, bios, planBiosChange(bios, { FanOffset: 15 }));
  const outcome = await readBiosOutcome(bmc, staged);
  assert.equal(outcome.kind === 'failed' ? outcome.message : '', 'CompletedWithErrors: Unable to apply');
});

test('defaults: the action of the BIOS, or of its settings object', async () => {
  const { bmc, gate } = sample();
  gate.on(`POST ${biosPath}/Actions/Bios.ResetBios`, () => ({}));
  await resetBiosToDefaults(bmc, await readBios(bmc));
  assert.equal(gate.sent.at(-1)?.isDisruptive, true);

  const target = `${settingsPath}/Actions/Bios.ResetBios`;
  const action = { target, 'ResetType@Redfish.AllowableValues': ['default', 'manufacturing'] };
  const hpe = sample({ [settingsPath]: resource(settingsPath, { Actions: { '#Bios.ResetBios': action } }) });
  const bios = await readBios(hpe.bmc);
  const { Actions: _none, ...body } = bios.body;
  hpe.gate.on(`POST ${target}`, () => ({}));
  await resetBiosToDefaults(hpe.bmc, { ...bios, body });
  assert.deepEqual(hpe.gate.sent.at(-1)?.body, { ResetType: 'default' });
});

test('BIOS settings of any broken BMC are read or a BmcError, and can be planned on', async () => {
  const about = /Bios|Registr/;
  const tree = Object.fromEntries(Object.entries(sampleTree()).filter(([path]) => about.test(path)));
  await fc.assert(
    fc.asyncProperty(mutations, async (changes) => {
      const { bmc } = createScriptedBmc({ tree: { ...sampleTree(), ...mutate(tree, changes) } });
      try {
        const bios = await readBios(bmc);
        planBiosChange(bios, { BootMode: 'Uefi', FanOffset: 5, Quiet: true, AssetTag: 'X', __proto__x: 1 });
      } catch (error) {
        if (!(error instanceof BmcError)) throw error;
      }
    }),
    { numRuns: 2000 },
  );
});
