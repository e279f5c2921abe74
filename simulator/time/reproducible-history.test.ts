import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { type Clock, sleep } from '../../src/kube/index.ts';
import { type DataCentre, type RunningBmc, startDataCentre } from '../data-centre.ts';
import type { FaultRule } from '../faults/fault.ts';
import { buildImage } from '../images/build-image.ts';
import { readDetail } from '../machine/log-detail.ts';
import { createSteppedClock } from './stepped-clock.ts';

const faults: readonly FaultRule[] = [
  { kind: 'slow-answer', rate: 0.2, durationMs: 7000 },
  { kind: 'busy', rate: 0.1 },
  { kind: 'connection-reset', rate: 0.05 },
];

/** Serves `/NAME`: an image for the first firmware slot of that server. */
async function serveImages(dataCentre: DataCentre): Promise<{ readonly server: Server; readonly base: string }> {
  const server = createServer((request, response) => {
    const { machine } = dataCentre.bmc((request.url ?? '').slice(1));
    const slot = machine.firmware[0];
    assert.ok(slot !== undefined);
    const { softwareId, component } = slot;
    const made = { vendor: machine.personality.manufacturer, models: [], softwareId, component };
    buildImage({ ...made, version: '9.9.9', payloadBytes: 100_000 })
      .stream()
      .pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Asks until there is an answer, with a deadline and pauses in simulated time. */
async function ask(
  bmc: RunningBmc,
  clock: Clock,
  call: { readonly path: string; readonly body?: object },
): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${bmc.username}:${bmc.password}`).toString('base64')}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const body = call.body === undefined ? {} : { method: 'POST', body: JSON.stringify(call.body) };
  for (let attempt = 0; attempt < 6; attempt++) {
    const abort = new AbortController();
    const deadline = clock.after(5000, () => abort.abort());
    const status = await fetch(`${bmc.url}${call.path}`, { headers, signal: abort.signal, ...body })
      .then((answer) => answer.text().then(() => answer.status))
      .catch(() => 0);
    deadline.cancel();
    if (status > 0 && status < 500) return;
    await sleep(clock, 1000 * 2 ** attempt);
  }
}

async function work(bmc: RunningBmc, clock: Clock, base: string): Promise<void> {
  await ask(bmc, clock, { path: '/redfish/v1/' });
  bmc.machine.updates.begin({ via: 'pull', targets: [], imageUri: `${base}/${bmc.name}` });
  for (let round = 0; round < 20; round++) {
    await ask(bmc, clock, { path: bmc.systemPath });
    const reset = { path: `${bmc.systemPath}/Actions/ComputerSystem.Reset`, body: { ResetType: 'ForceRestart' } };
    if (round === 3) await ask(bmc, clock, reset);
    await sleep(clock, 60_000);
  }
}

async function runOnce(seed: number): Promise<readonly string[]> {
  const clock = createSteppedClock();
  const options = { seed, servers: 6, clock, isPlain: true, arePoweredOn: true, doesLogReads: true, faults };
  const dataCentre = await startDataCentre(options);
  const { server, base } = await serveImages(dataCentre);
  try {
    await Promise.all(dataCentre.bmcs.map((bmc) => clock.run(bmc.name, (time) => work(bmc, time, base))));
    for (const { machine } of dataCentre.bmcs) assertOneFlashAtATime(machine.log.events);
    return dataCentre.bmcs.map(({ machine }) => machine.log.text());
  } finally {
    server.close();
    await dataCentre.close();
  }
}

function assertOneFlashAtATime(events: readonly { readonly event: string; readonly detail: string }[]): void {
  let open: string | undefined;
  for (const { event, detail } of events) {
    if (event === 'update.flash-begin') assert.equal(open, undefined);
    if (event === 'update.flash-begin') open = readDetail(detail).slot;
    if (event === 'update.flash-end') open = undefined;
  }
}

test('two runs over real HTTP with one seed give the same log for every BMC, another seed gives others', async () => {
  const first = await runOnce(5);
  assert.deepEqual(await runOnce(5), first);
  assert.ok(first.some((log) => /fault kind=slow-answer/.test(log)));
  assert.ok(
    first.every((log) => /update\.flash-begin/.test(log)),
    'every image was pulled and written',
  );
  const other = await runOnce(6);
  for (const [index, log] of first.entries()) assert.notEqual(other[index], log);
});
