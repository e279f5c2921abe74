import assert from 'node:assert/strict';
import { test } from 'node:test';
import { excludeLabel } from '../../api/index.ts';
import { desiredHash, desiredOf } from '../server/desired.ts';
import {
  ago,
  planFacts,
  plannedBmc,
  plannedFirmware,
  plannedGroup,
  plannedServer,
  planReading,
  planTime,
} from '../testing/plan-facts.ts';
import { fw } from '../testing/rig.ts';
import { explainServer } from './explain-server.ts';
import type { ServerExplanation } from './explanation.ts';
import { findServer } from './find-server.ts';
import type { PlanFacts } from './settle-fleet.ts';

function explain(facts: PlanFacts, word: string): ServerExplanation & { readonly text: string } {
  const finding = findServer(facts, word);
  assert.equal(finding.kind, 'found');
  const subject = finding.kind === 'found' ? finding.subject : assert.fail();
  const explained = explainServer({ facts, subject, reading: planReading, events: [] }, planTime);
  assert.ok(explained !== undefined);
  return { ...explained, text: explained.sentences.join('\n') };
}

const condition = (type: string, status: 'True' | 'False', more: object = {}) => ({
  type,
  status,
  reason: 'R',
  message: '',
  lastTransitionTime: ago(30),
  observedGeneration: 1,
  ...more,
});

test('a server that gave up says since when, on what, and how to try again', () => {
  const bare = plannedFirmware('s', {
    labels: { group: 'g' },
    group: 'g',
    entries: [fw('nic', '2')],
    own: [fw('ssd', '1')],
    installed: [fw('nic', '1'), fw('ssd', '1')],
  });
  const attempts = {
    desiredHash: desiredHash(desiredOf(bare, 'Lenovo')),
    failed: 3,
    lastFailureTime: ago(31),
    message: 'the image was refused.',
  };
  const status = { ...bare.status, attempts, conditions: [condition('Stalled', 'True')] };
  const facts = planFacts({
    servers: [plannedServer('s', { bmc: 'b' })],
    firmwares: [{ ...bare, status }],
    groups: [plannedGroup('g', { firmwares: [fw('nic', '2'), fw('ssd', '9')] })],
  });
  const { plan, since, text, advice, wanted, attempts: told } = explain(facts, 's');
  assert.deepEqual([plan.state, since, told?.failed, told?.most], ['blocked', ago(30), 3, 3]);
  assert.match(text, /^Server s is a Lenovo 7x21 behind BMC b, system UUID UUID-s\. Its ServerFirmware is s\.\n/);
  assert.match(text, new RegExp(`kept from what is wanted since ${ago(30)}`));
  assert.match(text, /3 of 3 attempts at this list failed, last at .*: the image was refused\./);
  assert.match(text, /It is in the group g\./);
  assert.match(text, /ssd \(ACME\) 1 is an override: the group g wants 9\./);
  assert.match(text, /There is no BMC b, so it cannot be reached\./);
  assert.match(text, /It is looked at next at .*, or when something changes\./);
  assert.equal(advice[0]?.command, 'rackwright annotate serverfirmware s metal.ironcore.dev/operation=retry');
  assert.deepEqual(
    wanted.map(({ name, relation, wantedBy }) => [name, relation, wantedBy.kind]),
    [
      ['nic', 'different', 'group'],
      ['ssd', 'same', 'override'],
    ],
  );
});

test('a server that gave up on versions of a group that has halted is not told to try again alone', () => {
  const bare = plannedFirmware('s', {
    ...{ labels: { group: 'g' }, group: 'g', entries: [fw('nic', '2')], installed: [fw('nic', '1')] },
  });
  const attempts = { desiredHash: desiredHash(desiredOf(bare, 'Lenovo')), failed: 3, lastFailureTime: ago(31) };
  const status = { ...bare.status, attempts, conditions: [condition('Stalled', 'True')] };
  const halted = { conditions: [condition('Halted', 'True')] };
  const facts = planFacts({
    servers: [plannedServer('s')],
    firmwares: [{ ...bare, status }],
    groups: [plannedGroup('g', { firmwares: [fw('nic', '2')] }, { status: halted })],
  });
  const { plan, advice } = explain(facts, 's');
  assert.deepEqual(
    plan.reasons.map(({ code }) => code),
    ['AttemptsExhausted', 'GroupHalted'],
  );
  assert.equal(advice[0]?.command, 'rackwright annotate serverfirmwaregroup g metal.ironcore.dev/operation=retry');
});

test('a request is told with what became of it', () => {
  const bare = plannedFirmware('s', { own: [fw('nic', '2')], installed: [fw('nic', '1')] });
  const desired = desiredHash(desiredOf(bare, 'Lenovo'));
  const became = (request: object, report?: object): string | undefined => {
    const status = {
      ...bare.status,
      request: request as never,
      ...(report === undefined ? {} : { report: report as never }),
    };
    const facts = planFacts({ servers: [plannedServer('s')], firmwares: [{ ...bare, status }] });
    return explain(facts, 's').request?.became;
  };
  const update = { kind: 'Update', jobID: 'j', time: ago(5), desiredHash: desired };
  assert.equal(became(update), 'under-way');
  assert.equal(became(update, { conditionID: 'j', sequence: 1 }), 'reported');
  assert.equal(became({ ...update, desiredHash: 'other' }), 'superseded');
  assert.equal(became({ ...update, time: ago(200) }), 'lost');
});

for (const [code, state] of [
  ['HostInUse', 'An update was asked for, and is kept from beginning'],
  ['WorkerLost', 'Something is under way'],
] as const) {
  test(`an update that waits with ${code} is not told as if it went on`, () => {
    const bare = plannedFirmware('s', { own: [fw('nic', '2')], installed: [fw('nic', '1')] });
    const request = {
      ...{ kind: 'Update' as const, jobID: 'j', time: ago(5) },
      desiredHash: desiredHash(desiredOf(bare, 'Lenovo')),
    };
    const held = condition('Progressing', 'False', { reason: code, message: 'it waits for that.' });
    const status = { ...bare.status, request, conditions: [held] };
    const { text, plan } = explain(planFacts({ servers: [plannedServer('s')], firmwares: [{ ...bare, status }] }), 's');
    assert.match(text, new RegExp(`${state} since ${ago(5)}\\.\nit waits for that\\.`));
    assert.deepEqual([plan.state, plan.waiting.map(({ reason }) => reason)], ['under-way', [code]]);
  });
}

test('what was not taken is told to be asked for again by itself', () => {
  const notFound = condition('Progressing', 'False', { reason: 'FirmwareNotFound', message: 'nic 2 is nowhere' });
  const bare = plannedFirmware('s', { own: [fw('nic', '2')], installed: [fw('nic', '1')] });
  const firmwares = [{ ...bare, status: { ...bare.status, conditions: [notFound] } }];
  const { text } = explain(planFacts({ servers: [plannedServer('s')], firmwares }), 's');
  assert.match(text, /nic 2 is nowhere\.\n/);
  assert.match(text, /It is asked for again by itself after a while, and when something changes\.$/);
});

test('a server that is excluded, without ServerFirmware, or missing is explained as well', () => {
  const facts = planFacts({
    servers: [plannedServer('out', { labels: { [excludeLabel]: '' } }), plannedServer('new')],
    firmwares: [plannedFirmware('lonely', { server: 'gone' })],
  });
  const out = explain(facts, 'out');
  assert.match(
    out.text,
    /It has no ServerFirmware\.\nIt is left alone\.\n.*carries the label metal\.ironcore\.dev\/exclude/,
  );
  assert.equal(out.advice[0]?.command, `rackwright label server out ${excludeLabel}-`);
  assert.match(explain(facts, 'new').text, /onboarding makes one/);
  const lonely = explain(facts, 'lonely');
  assert.match(lonely.text, /^There is no Server gone; the ServerFirmware lonely refers to it\./);
  assert.equal(lonely.server.isThere, false);
});

test('groups that hold, have halted or conflict are named, with what to do about them', () => {
  const labels = { group: 'g' };
  const commandsFor = (groups: PlanFacts['groups']): string[] =>
    explain(
      planFacts({
        servers: [plannedServer('s')],
        firmwares: [plannedFirmware('s', { labels, installed: [fw('nic', '1')] })],
        groups,
      }),
      's',
    ).advice.map(({ command }) => command);
  const firmwares = [fw('nic', '2')];
  assert.deepEqual(commandsFor([plannedGroup('g', { firmwares, paused: true })]), [
    'rackwright edit serverfirmwaregroup g',
  ]);
  const halted = { conditions: [condition('Halted', 'True')] };
  assert.equal(
    commandsFor([plannedGroup('g', { firmwares }, { status: halted })])[0],
    'rackwright annotate serverfirmwaregroup g metal.ironcore.dev/operation=retry',
  );
  const rival = plannedGroup('h', { serverSelector: {} });
  assert.deepEqual(commandsFor([plannedGroup('g'), rival]), ['rackwright get serverfirmwaregroups -o yaml']);
});

test('a server behind a BMC that is opted out is left alone, and the advice is about the BMC', () => {
  const bmc = { ...plannedBmc('b'), metadata: { name: 'b', labels: { 'metal.ironcore.dev/exclude': 'true' } } };
  const shared = { servers: [plannedServer('s', { bmc: 'b' })], bmcs: [bmc] };
  const { text, advice } = explain(planFacts({ ...shared, firmwares: [plannedFirmware('s')] }), 's');
  assert.match(text, /its BMC b carries the label metal\.ironcore\.dev\/exclude/);
  assert.deepEqual(
    advice.map(({ command }) => command),
    ['rackwright label bmc b metal.ironcore.dev/exclude-'],
  );
  assert.match(explain(planFacts(shared), 's').text, /its BMC b carries the label/);
});

test('a BMC that is not well is told of, and so are controllers that do not look', () => {
  const ready = condition('Ready', 'False', { reason: 'BmcUnreachable', message: 'no answer' });
  const facts = (observedGeneration: number) =>
    planFacts({
      servers: [plannedServer('s', { bmc: 'b' })],
      firmwares: [plannedFirmware('s', { status: { observedGeneration } })],
      bmcs: [plannedBmc('b', { conditions: [ready] })],
    });
  const { text } = explain(facts(1), 's');
  assert.match(text, /Its BMC b is not ready \(BmcUnreachable\): no answer\./);
  assert.match(
    text,
    /No firmware version is declared for this server\. No newer version is known to be available\.\nNo group selects it\./,
  );
  assert.ok(!text.includes('controllers'));
  assert.match(explain(facts(0), 's').text, /The controllers have not looked at it since it changed/);
});
