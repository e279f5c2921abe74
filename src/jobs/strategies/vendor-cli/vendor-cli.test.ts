import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { systemClock } from '../../../kube/index.ts';
import { runStrategyContract } from '../../contract/strategy-contract.ts';
import { createTestCondition, leaseTestWork } from '../../contract/test-work.ts';
import { type SimulatedScene, startSimulatedScene } from '../../testing/simulated-scene.ts';
import { fillCommand } from './fill-command.ts';
import { readFirmwareLines } from './read-output.ts';
import { runCommand } from './run-command.ts';
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

const tool = join(import.meta.dirname, '..', '..', 'testing', 'vendor-tool.ts');
let scene: SimulatedScene | undefined;
let calls: Call[] = [];
let sessionsSeen: number[] = [];
let script: { readonly code: number; readonly prints: string } | undefined;

// What the tool is told reaches the simulated server by way of this.
const wire = createServer(async (request, response) => {
  const call = (await json(request)) as Call;
  calls.push(call);
  sessionsSeen.push(scene?.machine.sessions.all.length ?? 0);
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

async function update(by: SimulatedScene) {
  const condition = createTestCondition({ kind: 'firmwareInstall', target: by.target, parameters: by.parameters });
  const strategy = await vendorCli.create(settings);
  const ended = strategy.update(leaseTestWork(condition, { clock: by.clock }), by.tools);
  return { condition, ended };
}

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
    Object.keys(call.environment).filter((name) => !/^(PATH|HOME|LANG|TMPDIR|__CF)/.test(name)),
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
