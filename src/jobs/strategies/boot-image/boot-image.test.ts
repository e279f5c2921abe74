import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { sleep } from '../../../kube/index.ts';
import { runStrategyContract } from '../../contract/strategy-contract.ts';
import { createTestCondition, leaseTestWork } from '../../contract/test-work.ts';
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

type Ending = 'succeeded' | 'failed' | 'silent';

/** Plays the update image on a simulated host: it reads the second medium, installs, and reports until it is heard. */
function playImage(scene: SimulatedScene, ending: Ending): void {
  const { machine, clock } = scene;
  const stop = new AbortController();
  machine.power.onBoot((from) => {
    if (from === 'cd' && ending !== 'silent') void run();
  });
  const run = async (): Promise<void> => {
    const address = driveNames.map((id) => machine.media.get(id)?.image).find((url) => url?.includes('/v1/boot/'));
    assert.ok(address, 'there is no second medium');
    const medium = await (await fetch(address)).text();
    const order = JSON.parse(medium.slice(0, medium.indexOf('\0'))) as Order;
    const report = async (body: object): Promise<void> => {
      for (let tries = 0; tries < 200; tries += 1) {
        const headers = { authorization: `Bearer ${order.token}` };
        const answer = await fetch(order.reportUrl, { method: 'POST', headers, body: JSON.stringify(body) }).catch(
          () => undefined,
        );
        if (answer?.status === 204 || answer?.status === 409) return;
        await sleep(clock, 5000, stop.signal);
      }
    };
    await report({ state: 'running', percent: 10, message: 'it begins' });
    if (ending === 'failed') return await report({ state: 'failed', message: 'the BIOS is locked' });
    for (const { component, version } of order.firmwares) {
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
  assert.equal(await post('{"state":"succeeded"}'), 204);
  assert.equal(await post('{"state":"failed"}'), 409);
  assert.equal(boot.seen.last?.state, 'succeeded');
  const piece = await fetch(boot.mediumUrl, { headers: { range: 'bytes=0-0' } });
  assert.equal(piece.status, 206);
  assert.equal(await piece.text(), '{');
  assert.equal(Number((await fetch(boot.mediumUrl, { method: 'HEAD' })).headers.get('content-length')) % 512, 0);
  await boot.close();
});
