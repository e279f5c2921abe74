import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sleep, systemClock } from '../../../kube/index.ts';
import { runStrategyContract } from '../../contract/strategy-contract.ts';
import { createTestCondition, leaseTestWork } from '../../contract/test-work.ts';
import { isJobError } from '../../errors.ts';
import { type SimulatedScene, startSimulatedScene } from '../../testing/simulated-scene.ts';
import { fillCommand } from './fill-command.ts';
import { readFirmwareLines } from './read-output.ts';
import { runCommand } from './run-command.ts';
import { findTools, openToolFolder } from './tool-folders.ts';
import { vendorCli } from './vendor-cli.ts';

interface Call {
  readonly action: string;
  readonly password: string;
  readonly mode: number;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly component: string;
  readonly version: string;
  readonly image: string;
}

const testing = join(import.meta.dirname, '..', '..', 'testing');
const tool = join(testing, 'vendor-tool.ts');
const killedCommand = join(testing, 'killed-command.ts');
let scene: SimulatedScene | undefined;
let calls: Call[] = [];
let sessionsSeen: number[] = [];
/** While it is there, updates of the tool are not answered. */
let gate: Promise<void> | undefined;
let script: { readonly code: number; readonly prints: string } | undefined;

// What the tool is told reaches the simulated server by way of this.
const wire = createServer(async (request, response) => {
  const call = (await json(request)) as Call;
  calls.push(call);
  sessionsSeen.push(scene?.machine.sessions.all.length ?? 0);
  if (call.action === 'update') await gate;
  if (call.action === 'update' && script === undefined) scene?.install(call.component, call.version);
  const version = scene?.machine.firmware.find(({ component }) => component === 'bios')?.version;
  const printed = script?.prints ?? (call.action === 'scan' ? `BIOS | Dell Inc. | ${version}` : 'Progress: 50 %');
  response.writeHead(200, { 'x-exit-code': String(script?.code ?? 0) }).end(printed);
});
wire.listen(0, '127.0.0.1');
await once(wire, 'listening');
after(() => wire.close());
const url = `http://127.0.0.1:${(wire.address() as AddressInfo).port}`;

const base = [process.execPath, '--disable-warning=ExperimentalWarning', tool];
const settings = {
  templates: [
    {
      manufacturer: 'DELL',
      update: {
        command: [
          ...base,
          'update',
          '--wire',
          url,
          '--credentials',
          '{credentialsFile}',
          '--image',
          '{image}',
          '--component',
          '{component}',
          '--version',
          '{version}',
        ],
        progressPattern: 'Progress: (?<percent>\\d+)',
        failurePatterns: ['^ERROR'],
        transientCodes: [75],
      },
      scan: {
        command: [...base, 'scan', '--wire', url, '--credentials', '{credentialsFile}'],
        lines: [{ pattern: '^(?<component>BIOS) \\| (?<manufacturer>[^|]+) \\| (?<version>\\S+)$' }],
      },
    },
  ],
};

async function open(context: Parameters<typeof startSimulatedScene>[0]): Promise<SimulatedScene> {
  calls = [];
  sessionsSeen = [];
  script = undefined;
  scene = await startSimulatedScene(context, { speed: 20 });
  return scene;
}

const template = settings.templates[0];
assert.ok(template);
runStrategyContract('vendor-cli', {
  factory: vendorCli,
  settings,
  scene: open,
  deaths: [2, 3, 4],
  hasOtherMachine: true,
  badSettings: [
    undefined,
    {},
    { templates: [] },
    { templates: [{ ...template, update: { command: ['tool', '{password}'] } }] },
    { templates: [{ ...template, update: { command: ['tool', '{nonsense}'] } }] },
    { templates: [{ ...template, update: { command: ['{image}'] } }] },
    { templates: [{ ...template, update: { command: ['tool'], failurePatterns: ['('] } }] },
    { templates: [{ ...template, scan: { command: ['tool'], lines: [{ pattern: 'no groups' }] } }] },
  ],
});

test('no command is run on a machine that took over the address while the image was fetched', async (context) => {
  const opened = await open(context);
  const { target, parameters, tools, clock } = opened;
  const artifacts: typeof tools.artifacts = {
    bytesUsed: () => tools.artifacts.bytesUsed(),
    close: async () => {},
    async open(order) {
      opened.putOtherMachine();
      const artifact = await tools.artifacts.open(order);
      // Longer than a look at the machine is good for.
      await sleep(clock, 10_000);
      return artifact;
    },
  };
  const strategy = await vendorCli.create(settings);
  const condition = createTestCondition({ kind: 'firmwareInstall', target, parameters });
  await assert.rejects(strategy.update(leaseTestWork(condition, { clock }), { ...tools, artifacts }), {
    code: 'otherMachine',
  });
  assert.deepEqual(
    calls.map(({ action }) => action),
    ['scan'],
  );
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setTimeout(20);
}

/** A scene whose image is described in another way. */
function withImage(by: SimulatedScene, change: object): SimulatedScene {
  const firmwares = by.parameters.firmwares as object[];
  return { ...by, parameters: { ...by.parameters, firmwares: firmwares.map((each) => ({ ...each, ...change })) } };
}

async function update(by: SimulatedScene) {
  const condition = createTestCondition({ kind: 'firmwareInstall', target: by.target, parameters: by.parameters });
  const strategy = await vendorCli.create(settings);
  const ended = strategy.update(leaseTestWork(condition, { clock: by.clock }), by.tools);
  return { condition, ended };
}

test('a command that outlives its killed process is waited for: there are never two, and its credentials go', async (context) => {
  const by = await open(context);
  const held = Promise.withResolvers<void>();
  gate = held.promise;
  context.after(() => {
    gate = undefined;
    held.resolve();
  });
  const origin = (await by.tools.servers.find(by.target))?.endpoint.origin ?? '';
  const credentials = JSON.stringify({ username: 'root', password: by.password });
  const words = ['update', '--wire', url, '--credentials', '{credentialsFile}', '--component', 'bios'];
  const killed = spawn(
    process.execPath,
    [killedCommand, origin, credentials, ...base, ...words, '--version', '9.9.9'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  context.after(() => killed.kill('SIGKILL'));
  const [folder] = await once(killed.stdout, 'data').then(([piece]) => String(piece).trim().split('\n'));
  assert.ok(folder);
  await until(() => calls.some(({ action }) => action === 'update'));
  killed.kill('SIGKILL');
  await once(killed, 'close');

  const { condition, ended } = await update(by);
  const isSecond = () => calls.filter(({ action }) => action === 'update').length > 1;
  await until(() => isSecond() || /still runs/.test(JSON.stringify(condition.reports)));
  assert.equal(condition.isCancelUnsafe, true);
  assert.equal(existsSync(folder), true);
  assert.deepEqual(
    calls.map(({ action }) => action),
    ['update'],
  );
  held.resolve();
  assert.equal((await ended).outcome, 'succeeded');
  assert.equal(by.countInstalls(), 1);
  assert.equal(condition.isCancelUnsafe, false);
  assert.equal(existsSync(folder), false);
});

test('a command that nobody is there to start does nothing', async () => {
  const order = { cwd: '/', environment: {}, clock: systemClock, secrets: [], deadlineMs: 600_000 };
  const signal = new AbortController().signal;
  const folder = await mkdtemp(join(tmpdir(), 'not-begun-'));
  const file = join(folder, 'begun');
  const onStart = () => Promise.reject(new Error('it was not written down'));
  await assert.rejects(runCommand({ ...order, signal, command: ['/bin/sh', '-c', `: > ${file}`], onStart }), /written/);
  assert.equal(existsSync(file), false);
  await rm(folder, { recursive: true });
});

test('what a killed process left is thrown away when the strategy is made, what others use is not', async () => {
  const left = await openToolFolder('https://192.0.2.1');
  const used = await openToolFolder('https://192.0.2.1');
  for (const { path } of [left, used]) await writeFile(join(path, 'credentials'), 'hush', { mode: 0o600 });
  const note = JSON.parse(await readFile(join(left.path, 'note.json'), 'utf8')) as { owner: { startedAt: string } };
  // Another process has its number by now.
  await writeFile(join(left.path, 'note.json'), JSON.stringify({ ...note, owner: { ...note.owner, startedAt: 'x' } }));
  await vendorCli.create(settings);
  assert.deepEqual([existsSync(left.path), existsSync(used.path)], [false, true]);
  await used.remove();
});

test('what a crash of the machine left half written of a note keeps nobody from starting, and goes', async () => {
  const { path, remove } = await openToolFolder('https://crashed.test');
  after(remove);
  await writeFile(join(path, 'credentials'), 'secret');
  await writeFile(join(path, 'note.json'), '');
  assert.deepEqual(await findTools('https://crashed.test'), []);
  await vendorCli.create(settings);
  assert.equal(existsSync(path), false);
});

test('an image that is called as a file of ours gets another name', async (context) => {
  for (const filename of ['credentials', 'note.json', 'note.json.new']) {
    const by = await open(context);
    const { ended } = await update(withImage(by, { filename }));
    assert.equal((await ended).outcome, 'succeeded');
    assert.match(calls.find(({ action }) => action === 'update')?.image ?? '', /\/image\.bin$/, filename);
  }
});

test('an image for other hardware is refused before anything is run, also with force', async (context) => {
  for (const force_install of [false, true]) {
    const by = await open(context);
    const other = withImage(by, { software_ids: ['no-such-part'] });
    const strategy = await vendorCli.create(
      JSON.parse(JSON.stringify({ templates: [{ ...template, scan: undefined }] })),
    );
    const parameters = { ...other.parameters, force_install };
    const condition = createTestCondition({ kind: 'firmwareInstall', target: by.target, parameters });
    const ended = strategy.update(leaseTestWork(condition, { clock: by.clock }), by.tools);
    await assert.rejects(ended, (error) => isJobError(error, 'otherHardware') && /no-such-part/.test(error.message));
    assert.deepEqual(calls, []);
  }
});

test('the password reaches the tool by a file that only its owner can read, and is nowhere else', async (context) => {
  const by = await open(context);
  const { condition, ended } = await update(by);
  assert.equal((await ended).outcome, 'succeeded');
  const call = calls.find(({ action }) => action === 'update');
  assert.ok(call);
  assert.equal(call.password, by.password);
  assert.equal(call.mode, 0o600);
  assert.equal(JSON.stringify([call.arguments, call.environment, condition.reports]).includes(by.password), false);
  assert.deepEqual(
    Object.keys(call.environment).filter((name) => !/^(PATH|HOME|LANG|TMPDIR|RACKWRIGHT_COMMAND|__CF)/.test(name)),
    [],
  );
  assert.match(call.image, /BIOS_9\.9\.9\.EXE$/);
});

test('this process has logged out of the BMC before the tool logs in', async (context) => {
  const by = await open(context);
  await (await update(by)).ended;
  assert.ok(sessionsSeen.length >= 2);
  assert.deepEqual([...new Set(sessionsSeen)], [0]);
});

test('a tool that fails fails the update with what it printed, less secrets', async (context) => {
  const by = await open(context);
  script = { code: 3, prints: 'BIOS | Dell Inc. | 1.0\nit broke' };
  const scan = { ...template, scan: undefined };
  const strategy = await vendorCli.create(JSON.parse(JSON.stringify({ templates: [scan] })));
  const condition = createTestCondition({ kind: 'firmwareInstall', target: by.target, parameters: by.parameters });
  const run = () => strategy.update(leaseTestWork(condition, { clock: by.clock }), by.tools);
  await assert.rejects(run, (error: Error) => /ended with 3: it broke/.test(error.message));
  script = { code: 75, prints: 'the BMC is busy' };
  await assert.rejects(run, (error: Error & { retry?: string }) => error.retry === 'transient');
  script = { code: 0, prints: 'ERROR: the image is for another model' };
  await assert.rejects(run, /another model/);
});

test('a value stays one argument, whatever is in it, and cannot become an option', () => {
  const values = {
    bmcHost: 'h',
    bmcPort: '1',
    bmcOrigin: 'o',
    username: 'u',
    credentialsFile: '/f',
    manufacturer: 'm',
    model: 'm',
    image: '/i',
    imageName: 'n',
    component: 'bios',
    version: '1; rm -rf / $(x)',
  };
  assert.deepEqual(fillCommand(['tool', 'v={version}', '{version}'], values), [
    'tool',
    'v=1; rm -rf / $(x)',
    '1; rm -rf / $(x)',
  ]);
  assert.throws(() => fillCommand(['tool', '{version}'], { ...values, version: '--force' }), /dash/);
  assert.throws(() => fillCommand(['tool', '{version}'], { ...values, version: 'a\nb' }), /control/);
});

test('a command that takes too long is ended, and what it prints is bounded and without secrets', async () => {
  const order = {
    cwd: '/',
    environment: {},
    clock: systemClock,
    signal: new AbortController().signal,
    secrets: ['hush'],
    killAfterMs: 20,
  };
  const late = await runCommand({
    ...order,
    deadlineMs: 20,
    command: ['/bin/sh', '-c', 'trap "" TERM; while :; do sleep 1; done'],
  });
  assert.equal(late.isLate, true);
  const many = [
    '/bin/sh',
    '-c',
    'i=0; while [ $i -lt 500 ]; do echo "line $i hush Bearer abcdefgh"; i=$((i+1)); done',
  ] as const;
  const { lines, code } = await runCommand({ ...order, deadlineMs: 60_000, mostBytes: 2000, command: many });
  assert.equal(code, 0);
  const text = lines.join('\n');
  assert.ok(text.length < 4000, String(text.length));
  assert.match(text, /line 0 /);
  assert.match(text, /line 499 /);
  assert.match(text, /lines left out/);
  assert.doesNotMatch(text, /hush|abcdefgh/);
  await assert.rejects(runCommand({ ...order, deadlineMs: 1000, command: ['/nowhere/tool'] }), /cannot be started/);
});

test('output that no rule knows is an error and not an empty server', () => {
  assert.ok(template.scan);
  assert.throws(() => readFirmwareLines(template.scan, ['hello']), /patterns/);
});
