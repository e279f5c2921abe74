import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { BmcError, type GateRequest, type Gates } from '../../../bmc/index.ts';
import { isEngineError, type StepReport } from '../../../engine/index.ts';
import { sleep } from '../../../kube/index.ts';
import { runStrategyContract } from '../../contract/strategy-contract.ts';
import { createTestCondition, leaseTestWork, ProcessDied, type TestLife } from '../../contract/test-work.ts';
import { isJobError } from '../../errors.ts';
import { type SimulatedScene, startSimulatedScene } from '../../testing/simulated-scene.ts';
import { bootImage } from './boot-image.ts';
import { createReportDesk, createTicket } from './report-desk.ts';

/** Connections, and servers of other tests, have 127.0.0.1: here a free port stays free. */
const host = '127.0.0.2';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const imageUrl = 'http://127.0.0.1:9/update.iso';
const settings = {
  images: [{ url: imageUrl }],
  report: { host, port: await freePort() },
  // Time passes sixty times as fast, and machines that run tests may be slow.
  silenceSeconds: 80_000,
  deadlineSeconds: 500_000,
};

interface Order {
  readonly reportUrl: string;
  readonly token: string;
  readonly firmwares: readonly { readonly component: string; readonly version: string }[];
}

const driveNames = ['1', '2'];

type Ending = 'succeeded' | 'staged' | 'failed' | 'silent' | 'mute';

/** What the image that was played last was told. */
let answers: (number | undefined)[] = [];

/** Plays the update image on a simulated host: it reads the second medium, installs, and reports until it is heard. */
function playImage(scene: SimulatedScene, ending: Ending): void {
  const { machine, clock } = scene;
  const stop = new AbortController();
  answers = [];
  machine.power.onBoot((from) => {
    if (from === 'cd' && ending !== 'silent') void run();
  });
  const run = async (): Promise<void> => {
    const address = driveNames.map((id) => machine.media.get(id)?.image).find((url) => url?.includes('/v1/boot/'));
    assert.ok(address, 'there is no second medium');
    const medium = await (await fetch(address)).text();
    const order = JSON.parse(medium.slice(0, medium.indexOf('\0'))) as Order;
    const report = async (body: object): Promise<void> => {
      if (ending === 'mute') return;
      for (let tries = 0; tries < 200; tries += 1) {
        const headers = { authorization: `Bearer ${order.token}` };
        const answer = await fetch(order.reportUrl, { method: 'POST', headers, body: JSON.stringify(body) }).catch(
          () => undefined,
        );
        answers.push(answer?.status);
        if (answer?.status === 204 || answer?.status === 409) return;
        await sleep(clock, 5000, stop.signal);
      }
    };
    await report({ state: 'running', percent: 10, message: 'it begins' });
    if (ending === 'failed') return await report({ state: 'failed', message: 'the BIOS is locked' });
    for (const { component, version } of order.firmwares) {
      if (ending === 'staged') return await report({ state: 'succeeded' });
      if (machine.firmware.find((slot) => slot.component === component && slot.isUpdateable)?.version !== version)
        scene.install(component, version);
    }
    await report({ state: 'succeeded', percent: 100 });
  };
}

async function open(context: TestContext, ending: Ending = 'succeeded'): Promise<SimulatedScene> {
  const scene = await startSimulatedScene(context, { speed: 60 });
  playImage(scene, ending);
  return scene;
}

runStrategyContract('boot-image', {
  factory: bootImage,
  settings,
  scene: (context) => open(context),
  deaths: [2, 3, 4],
  hasOtherMachine: true,
  badSettings: [
    undefined,
    {},
    { ...settings, images: [] },
    { ...settings, images: [{ url: 'ftp://x/y' }] },
    { ...settings, extra: 1 },
  ],
});

async function update(scene: SimulatedScene, more: object = {}) {
  const strategy = await bootImage.create({ ...settings, ...more });
  const condition = createTestCondition({
    kind: 'firmwareInstall',
    target: scene.target,
    parameters: scene.parameters,
  });
  return { condition, end: await strategy.update(leaseTestWork(condition, { clock: scene.clock }), scene.tools) };
}

function mediaOf({ machine }: SimulatedScene): readonly string[] {
  return driveNames.flatMap((id) => machine.media.get(id)?.image ?? []);
}

test('the host is left as it was found: no media, its own boot device, and on', async (context) => {
  const scene = await open(context);
  const { end, condition } = await update(scene);
  assert.equal(end.outcome, 'succeeded');
  assert.deepEqual(mediaOf(scene), []);
  assert.equal(scene.machine.power.state, 'On');
  assert.equal(condition.isCancelUnsafe, false);
  assert.ok(condition.reports.some(({ isCancelUnsafe }) => isCancelUnsafe === true));
});

test('an image that fails, or says nothing, fails the update and leaves no media behind', async (context) => {
  const failing = await open(context, 'failed');
  const { end } = await update(failing);
  assert.match(end.outcome === 'failed' ? end.reason.message : '', /the BIOS is locked/);
  assert.deepEqual(mediaOf(failing), []);
  const silent = await open(context, 'silent');
  const late = await update(silent, { silenceSeconds: 60 });
  assert.equal(late.end.outcome === 'failed' ? late.end.reason.code : '', 'ImageSilent');
  assert.deepEqual(mediaOf(silent), []);
});

test('an image that installed everything and could not say so has done its work, unless it was to do it again', async (context) => {
  const mute = await open(context, 'mute');
  assert.equal((await update(mute, { silenceSeconds: 60 })).end.outcome, 'succeeded');
  assert.deepEqual(mediaOf(mute), []);
  const silent = await open(context, 'silent');
  silent.install('bios', silent.wanted.version);
  const forced = { ...silent, parameters: { ...silent.parameters, force_install: true } };
  const { end } = await update(forced, { silenceSeconds: 60 });
  assert.equal(end.outcome === 'failed' ? end.reason.code : '', 'ImageSilent');
});

/** One condition, lived through by processes that die. */
async function openLives(scene: SimulatedScene, tools = scene.tools) {
  const strategy = await bootImage.create(settings);
  const { target, parameters, clock } = scene;
  const condition = createTestCondition({ kind: 'firmwareInstall', target, parameters });
  const live = (life: Partial<TestLife> = {}, by = tools) =>
    strategy.update(leaseTestWork(condition, { clock, ...life }), by);
  const dieBefore = (state: string) =>
    assert.rejects(live({ diesBefore: ({ progress }) => progress?.state === state }), ProcessDied);
  return { condition, live, dieBefore };
}

type Lane = ReturnType<Gates['open']>;
type Way = (asked: GateRequest, ask: () => ReturnType<Lane['request']>) => ReturnType<Lane['request']>;

/** The tools of a scene whose BMC answers some requests with errors. */
function withErrors(scene: SimulatedScene, errorFor: (asked: GateRequest) => BmcError | undefined) {
  return withWay(scene, async (asked, ask) => {
    const error = errorFor(asked);
    if (error !== undefined) throw error;
    return await ask();
  });
}

/** The tools of a scene whose requests go another way. */
function withWay({ tools }: SimulatedScene, way: Way): SimulatedScene['tools'] {
  const open: Gates['open'] = (...about) => {
    const lane = tools.gates.open(...about);
    return {
      origin: lane.origin,
      endpoint: lane.endpoint,
      get sessionUri() {
        return lane.sessionUri;
      },
      get state() {
        return lane.state;
      },
      request: (asked) => way(asked, () => lane.request(asked)),
      openEventStream: (...words) => lane.openEventStream(...words),
      expectOutage: () => lane.expectOutage(),
      logOut: () => lane.logOut(),
    };
  };
  return { ...tools, gates: { states: [], close: async () => {}, open } };
}

const bmcError = (code: 'unreachable' | 'refused'): BmcError =>
  new BmcError(code, { origin: 'the BMC', method: 'POST', path: '/', status: 400, detail: 'the test says so' });

function assertHarmless(scene: SimulatedScene): void {
  assert.deepEqual(mediaOf(scene), []);
  assert.equal(scene.machine.boot.enabled, 'Disabled');
}

test('what an image staged is written while the host starts afterwards, and is read when that is over', async (context) => {
  const scene = await open(context, 'staged');
  const { live } = await openLives(scene);
  let looks: number | undefined;
  const slow = withWay(scene, async ({ method, path }, ask) => {
    const answer = await ask();
    if (path.endsWith('ComputerSystem.Reset') && mediaOf(scene).length === 0) looks = 0;
    if (method !== 'GET' || !/\/Systems\/[^/]+$/.test(path) || looks === undefined) return answer;
    looks += 1;
    if (looks === 12) scene.install('bios', scene.wanted.version);
    return looks > 12
      ? answer
      : { ...answer, body: { ...answer.body, BootProgress: { LastState: 'MemoryInitializationStarted' } } };
  });
  const end = await live({}, slow);
  assert.equal(end.outcome, 'succeeded', JSON.stringify(end));
});

test('one that is cancelled after its process died with the media in takes them out before it ends', async (context) => {
  const scene = await open(context);
  const { condition, live, dieBefore } = await openLives(scene);
  await dieBefore('booted');
  assert.equal(mediaOf(scene).length, 2);
  assert.equal(scene.machine.boot.enabled, 'Once');
  // An engine ends at once what is cancelled while nobody works on it, unless that is unsafe.
  assert.equal(condition.isCancelUnsafe, true);
  condition.isCancelAsked = true;
  await assert.rejects(live(), (error) => isEngineError(error, 'cancelled'));
  assertHarmless(scene);
  assert.equal(scene.countInstalls(), 0);
});

test('a cancel while the media are put in takes them out, and the host is not restarted', async (context) => {
  const scene = await open(context);
  const { condition, live } = await openLives(scene);
  const cancelling = withErrors(scene, ({ path }) => {
    condition.isCancelAsked ||= path.endsWith('InsertMedia');
    return undefined;
  });
  await assert.rejects(live({}, cancelling), (error) => isEngineError(error, 'cancelled'));
  assertHarmless(scene);
  assert.equal(scene.countInstalls(), 0);
});

test('one that fails with the media in takes them out; while the BMC is away it says so and tries again', async (context) => {
  const scene = await open(context);
  const { condition, live } = await openLives(scene);
  const failing = withErrors(scene, ({ method, path }) => {
    if (method === 'PATCH') return bmcError('refused');
    return path.endsWith('EjectMedia') ? bmcError('unreachable') : undefined;
  });
  await assert.rejects(live({}, failing), (error) => isJobError(error, 'mediaStay') && error.retry === 'transient');
  assert.equal(condition.isCancelUnsafe, true);
  assert.match(JSON.stringify(condition.status), /still in the virtual drives/);
  assert.equal(mediaOf(scene).length, 2);
  const end = await live();
  assert.equal(end.outcome === 'failed' ? end.reason.code : '', 'Refused');
  assert.equal(condition.isCancelUnsafe, false);
  assertHarmless(scene);
  assert.equal(scene.countInstalls(), 0);
});

test('an image for other hardware boots nothing, and a server without an update image is told of as such', async (context) => {
  const scene = await open(context);
  const [firmware] = scene.parameters.firmwares as object[];
  const firmwares = [{ ...firmware, software_ids: ['no-such-part'] }];
  const other = { ...scene, parameters: { firmwares, force_install: true } };
  await assert.rejects(update(other), (error) => isJobError(error, 'otherHardware'));
  const images = [{ manufacturer: 'HPE', url: imageUrl }];
  await assert.rejects(update(scene, { images }), (error) => isJobError(error, 'noImage'));
  assertHarmless(scene);
  assert.equal(scene.countInstalls(), 0);
});

test('a BMC with one virtual drive is left alone', async (context) => {
  const scene = await open(context);
  const { live, condition } = await openLives(scene);
  const single = withWay(scene, async (asked, ask) => {
    const answer = await ask();
    const members = /\/VirtualMedia(\?|$)/.test(asked.path) ? answer.body.Members : undefined;
    return Array.isArray(members) ? { ...answer, body: { ...answer.body, Members: members.slice(0, 1) } } : answer;
  });
  await assert.rejects(live({}, single), (error) => isJobError(error, 'noSecondDrive'));
  assertHarmless(scene);
  assert.equal(condition.isCancelUnsafe, false);
});

test('a host that refuses to be restarted does not boot the image when somebody else restarts it', async (context) => {
  const scene = await open(context);
  const { live } = await openLives(scene);
  const failing = withErrors(scene, ({ path }) =>
    path.endsWith('ComputerSystem.Reset') ? bmcError('refused') : undefined,
  );
  await assert.rejects(live({}, failing), /refused/);
  assertHarmless(scene);
});

test('media that a BMC does not let go are told of when the update ends', async (context) => {
  const scene = await open(context);
  const { live } = await openLives(scene);
  const failing = withErrors(scene, ({ method, path }) =>
    method === 'PATCH' || path.endsWith('EjectMedia') ? bmcError('refused') : undefined,
  );
  await assert.rejects(live({}, failing), (error) => isJobError(error, 'mediaLeft') && error.retry === 'terminal');
});

test('a BMC that does not take the boot from CD back has to let the media go all the same', async (context) => {
  const scene = await open(context);
  const { live } = await openLives(scene);
  const failing = withErrors(scene, ({ method, path }) => {
    const isAsked = scene.machine.boot.enabled === 'Once';
    return isAsked && (method === 'PATCH' || path.endsWith('Reset')) ? bmcError('refused') : undefined;
  });
  await assert.rejects(live({}, failing), (error) => isJobError(error, 'mediaLeft'));
  assert.deepEqual(mediaOf(scene), []);
});

test('the last report is heard when it is stored: who dies before that is told again', async (context) => {
  const scene = await open(context);
  const { live, dieBefore } = await openLives(scene);
  await dieBefore('restoring');
  assert.equal(scene.countInstalls(), 1);
  assert.equal(answers.filter((status) => status === 204).length, 1, 'only that it began was heard');
  assert.equal((await live()).outcome, 'succeeded');
});

test('an update that finds its address taken waits for its turn, and the desk that could not listen can later', async (context) => {
  const scene = await open(context);
  const other = createServer().listen(settings.report.port, host);
  await once(other, 'listening');
  context.after(() => other.close());
  const strategy = await bootImage.create(settings);
  const { target, parameters, clock, tools } = scene;
  const condition = createTestCondition({ kind: 'firmwareInstall', target, parameters });
  const ended = strategy.update(leaseTestWork(condition, { clock }), tools);
  const waiting = async (): Promise<void> => {
    while (!/it waits: reports of update images/.test(JSON.stringify(condition.reports))) await sleep(clock, 1000);
  };
  await Promise.race([waiting(), ended]);
  assert.deepEqual(mediaOf(scene), []);
  other.close();
  assert.equal((await ended).outcome, 'succeeded');
  assert.equal(scene.countInstalls(), 1);
});

test('a booted image whose address others keep for good is given up when its time is over', async (context) => {
  const scene = await open(context, 'silent');
  const { condition, live } = await openLives(scene);
  const isWaiting = ({ progress, status, isCancelUnsafe }: StepReport) =>
    progress === undefined && status === undefined && isCancelUnsafe === true;
  await assert.rejects(live({ diesBefore: isWaiting }), ProcessDied);
  assert.equal(condition.progress.state, 'booted');
  const other = createServer().listen(settings.report.port, host);
  await once(other, 'listening');
  context.after(() => other.close());
  const bootedAt = scene.clock.now() - settings.deadlineSeconds * 1000;
  condition.progress = { ...condition.progress, bootedAt };
  const end = await live();
  assert.equal(end.outcome === 'failed' ? end.reason.code : end.outcome, 'ImageSilent');
  assert.deepEqual(mediaOf(scene), []);
});

test('the wait for the last self-test goes on in the next life, and the host is not restarted again for it', async (context) => {
  const scene = await open(context);
  const { condition, live } = await openLives(scene);
  await assert.rejects(live({ diesBefore: ({ isCancelUnsafe }) => isCancelUnsafe === false }), ProcessDied);
  assert.equal(typeof condition.progress.postSince, 'number');
  const resets = () => scene.machine.log.events.filter(({ event }) => event === 'power.reset').length;
  const before = resets();
  assert.equal((await live()).outcome, 'succeeded');
  assert.equal(resets(), before);
});

test('reports need the token of their boot, and none is taken after the last', async () => {
  const desk = createReportDesk({ host: '127.0.0.1', port: 0 });
  const ticket = createTicket();
  const boot = await desk.expect(ticket, { firmwares: [] });
  const url = boot.mediumUrl.replace('parameters.img', 'report');
  const post = async (body: string, token = ticket.token) =>
    (await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body })).status;
  assert.equal(await post('{"state":"running"}', 'guess'), 401);
  assert.equal(await post('{"state":"perhaps"}'), 400);
  assert.equal(await post(`{"state":"running","message":"${'x'.repeat(20_000)}"}`), 400);
  assert.equal(await post('{"state":"running","percent":5}'), 204);
  assert.deepEqual(boot.seen, { count: 1, last: { state: 'running', percent: 5 } });
  const [last, again] = [post('{"state":"succeeded"}'), post('{"state":"succeeded"}')];
  while (boot.seen.last?.state !== 'succeeded') await setTimeout(5);
  assert.equal(await post('{"state":"failed"}'), 409);
  await boot.confirm();
  assert.deepEqual([await last, await again], [204, 204]);
  assert.equal(await post('{"state":"succeeded"}'), 204);
  assert.equal(await post('{"state":"failed"}'), 409);
  assert.equal(boot.seen.last?.state, 'succeeded');
  const piece = await fetch(boot.mediumUrl, { headers: { range: 'bytes=0-0' } });
  assert.equal(piece.status, 206);
  assert.equal(await piece.text(), '{');
  assert.equal(Number((await fetch(boot.mediumUrl, { method: 'HEAD' })).headers.get('content-length')) % 512, 0);
  await boot.close();
});
