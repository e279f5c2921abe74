import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConditionRecord } from '../../conditionorc/index.ts';
import { createFakeClock, type FakeClock } from '../../kube/index.ts';
import { CliError } from '../errors.ts';
import { silentTerminal } from '../reference-page.ts';
import type { Terminal } from '../terminal.ts';
import { cancelCondition, listConditions } from './conditions.ts';
import { type InstallOrder, installFirmware } from './install-firmware.ts';
import type { RestCall, RestClient } from './rest-client.ts';

const id = '01a1e029-e683-7000-8bf8-66e75ab95933';
const server = { uuid: '5d2b4fb5-60fa-44b4-9a3a-7c5f7f6f64f1', name: 'r01-s01', vendor: 'dell', model: 'r750' };
const set = {
  uuid: '0c7ac4ea-9d2a-4b9e-8f5b-3a1f5f0b9f10',
  name: 'spring',
  component_firmware: [
    { uuid: 'f-bios', component: 'bios', version: '2.1' },
    { uuid: 'f-bmc', component: 'bmc', version: '7.0' },
  ],
};
const order: InstallOrder = {
  server: 'r01-s01',
  set: 'spring',
  components: [],
  isDryRun: false,
  isForced: false,
  isDetached: false,
};

type Step = Partial<ConditionRecord> | Error;

/** A condition as it is read one time after the other; the last one stays. */
function recordOf(step: Partial<ConditionRecord>): ConditionRecord {
  const record = { id, target: server.uuid, kind: 'firmwareInstall', state: 'active', status: {}, reason: null };
  return { ...record, finalized_at: null, ...step } as unknown as ConditionRecord;
}

function serve(steps: readonly Step[]): RestClient & { readonly calls: RestCall[] } {
  const calls: RestCall[] = [];
  const left = [...steps];
  const answer = (call: RestCall): object => {
    if (call.path.startsWith('/api/v1/servers?')) return { records: call.path.includes('r01-s01') ? [server] : [] };
    if (call.path.includes('firmware-sets?')) return { records: call.path.includes('name=spring') ? [set] : [] };
    if (call.method === 'POST') return { record: recordOf({}), message: 'firmware install scheduled' };
    if (call.path.startsWith('/api/v1/conditions?')) return { records: steps.map((step) => recordOf(step as object)) };
    const step = left.length > 1 ? left.shift() : left[0];
    if (step instanceof Error) throw step;
    return { record: recordOf(step ?? {}) };
  };
  return {
    calls,
    readText: async () => '',
    ask: async <T>(call: RestCall) => {
      calls.push(call);
      return answer(call) as T;
    },
    close: async () => undefined,
  };
}

interface Shown extends Terminal {
  readonly text: { out: string; err: string };
}

function terminalOf(more: Partial<Terminal> = {}): Shown {
  const text = { out: '', err: '' };
  return {
    ...silentTerminal,
    ...more,
    text,
    out(line) {
      text.out += line;
    },
    err(line) {
      text.err += line;
    },
  };
}

/** Runs to the end, however long it pauses. */
async function run(work: Promise<void>, clock: FakeClock): Promise<unknown> {
  let isOver = false;
  const end = work.then(
    () => undefined,
    (error: unknown) => error,
  );
  void end.then(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advanceToNext();
  }
  return end;
}

const flashing = { status: { percent: 40, component: 'bios', message: 'the update runs' } } as Step;
const biosDone = { component: 'bios', version: '2.1', installed_before: '2.0', state: 'succeeded', message: '' };
const over = {
  state: 'succeeded',
  finalized_at: '2026-01-01T00:00:00Z',
  status: {
    percent: 100,
    message: '1 installed',
    actions: [biosDone],
    skipped: [{ component: 'bmc', version: '7.0', message: 'it is installed already' }],
  },
} as unknown as Step;

test('where nobody looks on there is a line for each image that is over, and no bar', async () => {
  const clock = createFakeClock();
  const terminal = terminalOf();
  const error = await run(installFirmware(serve([flashing, flashing, over]), order, { terminal, clock }), clock);
  assert.equal(error, undefined);
  assert.equal(
    terminal.text.out,
    [
      `r01-s01: firmware install scheduled, set spring, condition ${id}`,
      '  bmc 7.0: skipped, it is installed already',
      '  bios 2.0 -> 2.1: succeeded',
      'r01-s01: succeeded, 1 installed',
      '',
    ].join('\n'),
  );
});

test('a person sees a bar that is drawn over and leaves nothing behind', async () => {
  const clock = createFakeClock();
  const terminal = terminalOf({ isInteractive: true });
  const waiting = { state: 'pending', reason: { code: 'Busy', message: 'another condition runs' } } as Step;
  const client = serve([waiting, flashing, over]);
  assert.equal(await run(installFirmware(client, order, { terminal, clock }), clock), undefined);
  const { out } = terminal.text;
  assert.ok(out.includes(`\r\x1b[2K[${'-'.repeat(24)}]   0% another condition runs`), out);
  assert.ok(out.includes(`\r\x1b[2K[${'#'.repeat(10)}${'-'.repeat(14)}]  40% bios: the update runs`), out);
  // Whatever is on the line of the bar is wiped before the next line of text.
  const rest = out.slice(out.indexOf('the update runs') + 'the update runs'.length);
  assert.ok(rest.startsWith('\r\x1b[2K  bmc 7.0: skipped'), JSON.stringify(rest));
  assert.ok(out.endsWith('r01-s01: succeeded, 1 installed\n'));
});

test('Ctrl-C leaves the condition running and says how to see and to cancel it', async () => {
  const clock = createFakeClock();
  const stop = new AbortController();
  const terminal = terminalOf({ interrupted: stop.signal, isInteractive: true });
  const client = serve([flashing]);
  const work = installFirmware(client, order, { terminal, clock });
  await clock.untilPending();
  stop.abort();
  const error = await run(work, clock);
  assert.ok(error instanceof CliError && error.outcome === 'still-running');
  assert.match(error.message, /goes on without this command/);
  assert.match(error.message, new RegExp(`"rackwright conditions".*"rackwright cancel ${id}"`));
  assert.ok(terminal.text.out.endsWith('\r\x1b[2K'), 'the bar is gone');
  assert.deepEqual(
    client.calls.filter(({ path }) => path.endsWith('/cancel')),
    [],
  );
});

test('services that are restarted meanwhile are waited for, and given up when they stay away', async () => {
  const away = new CliError('unreachable', 'the REST services cannot be reached');
  const clock = createFakeClock();
  const terminal = terminalOf();
  const passing = serve([flashing, away, away, over]);
  assert.equal(await run(installFirmware(passing, order, { terminal, clock }), clock), undefined);
  const lasting = await run(installFirmware(serve([flashing, away]), order, { terminal, clock }), clock);
  assert.equal(lasting, away);
});

const ends: [string, Partial<ConditionRecord>, string, RegExp][] = [
  [
    'a failed install',
    { reason: { code: 'NotVerified', message: 'the old version is back', since: '' } },
    'work-failed',
    /failed: the old/,
  ],
  [
    'a cancelled one',
    { reason: { code: 'Cancelled', message: 'by me', since: '' } },
    'work-cancelled',
    /was cancelled: by me/,
  ],
];
for (const [what, fields, outcome, message] of ends) {
  test(`${what} ends the command with an exit code of its own`, async () => {
    const clock = createFakeClock();
    const step = { ...fields, state: 'failed', finalized_at: '2026-01-01T00:00:00Z' } as Step;
    const error = await run(installFirmware(serve([step]), order, { terminal: terminalOf(), clock }), clock);
    assert.ok(error instanceof CliError && error.outcome === outcome, String(error));
    assert.match(error.message, message);
  });
}

test('an install that fits in part ends with an exit code of its own and says what was skipped', async () => {
  const clock = createFakeClock();
  const message = '1 installed; 1 skipped: nic 2 is for hpe; this server is of Dell';
  const skipped = [{ component: 'nic', version: '2', why: 'other-vendor', message: 'nic 2 is for hpe' }];
  const status = { message, result: 'partial', skipped };
  const step = { status, state: 'succeeded', finalized_at: '2026-01-01T00:00:00Z' } as unknown as Step;
  const terminal = terminalOf();
  const error = await run(installFirmware(serve([step]), order, { terminal, clock }), clock);
  assert.ok(error instanceof CliError && error.outcome === 'work-partial', String(error));
  assert.match(error.message, /r01-s01: installed in part: 1 installed; 1 skipped: nic 2 is for hpe/);
  assert.match(terminal.text.out, /nic 2: skipped, nic 2 is for hpe/);
});

test('what is asked for goes into the order', async () => {
  const terminal = terminalOf();
  const client = serve([over]);
  const asked = { ...order, components: ['BIOS'], isDryRun: true, isForced: true, isDetached: true };
  await installFirmware(client, asked, { terminal });
  const { path, body } = client.calls.at(-1) ?? assert.fail();
  assert.equal(path, `/api/v1/servers/${server.uuid}/firmwareInstall`);
  assert.deepEqual(body, { firmwares: ['f-bios'], dry_run: true, force_install: true });
});

const unknown: [string, Partial<InstallOrder>, RegExp][] = [
  ['server', { server: 'r09-s99' }, /there is no server "r09-s99"/],
  ['set', { set: 'autumn' }, /there is no firmware set "autumn"/],
  ['component', { components: ['tpm'] }, /has nothing for tpm; it has bios, bmc/],
];
for (const [what, wrong, message] of unknown) {
  test(`an unknown ${what} is refused before anything is asked for`, async () => {
    const client = serve([over]);
    await assert.rejects(installFirmware(client, { ...order, ...wrong }, { terminal: terminalOf() }), message);
    assert.ok(client.calls.every(({ method }) => method === 'GET'));
  });
}

const table = { form: 'table', isWide: false } as const;

test('with -o json the condition is all that is printed, and what is told meanwhile goes elsewhere', async () => {
  const clock = createFakeClock();
  const terminal = terminalOf();
  const asked = { ...order, output: { form: 'json' } } as const;
  assert.equal(await run(installFirmware(serve([flashing, over]), asked, { terminal, clock }), clock), undefined);
  assert.equal((JSON.parse(terminal.text.out) as ConditionRecord).id, id);
  assert.match(terminal.text.err, /succeeded, 1 installed/);
});

test('conditions are listed with the names of their servers and how far they are', async () => {
  const terminal = terminalOf();
  await listConditions(
    serve([flashing, over]),
    { server: 'r01-s01', limit: 100, isWithHistory: true, output: table },
    terminal,
  );
  const lines = terminal.text.out.split('\n');
  assert.match(lines[0] ?? '', /^ID +SERVER +KIND +STATE +DONE +AGE +UPDATED +MESSAGE$/);
  assert.match(lines[1] ?? '', new RegExp(`^${id} +r01-s01 +firmwareInstall +active +40% +\\S.* +the update runs$`));
  assert.match(lines[2] ?? '', /succeeded +100% +.* +1 installed$/);
});

test('a cancel says what came of it, and takes nothing but ids', async () => {
  const terminal = terminalOf();
  const client = serve([]);
  await cancelCondition(client, { id, isForced: true, doesInsist: false, output: table }, terminal);
  assert.equal(terminal.text.out, `${id}: firmware install scheduled\n`);
  assert.deepEqual(client.calls.at(-1)?.body, { force: true, insist: false });
  const wrong = cancelCondition(client, { id: 'r01-s01', isForced: false, doesInsist: false, output: table }, terminal);
  await assert.rejects(wrong, /"r01-s01" is no id of a condition; "rackwright conditions" lists them/);
});
