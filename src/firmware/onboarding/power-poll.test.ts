import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type PersonalityName, startDataCentre } from '../../../simulator/index.ts';
import { ironcoreApiVersion } from '../../api/index.ts';
import { createGates } from '../../bmc/index.ts';
import { createFakeClock, systemClock } from '../../kube/index.ts';
import type { PowerReading } from '../ports.ts';
import { putFirmware, startApi, startControllers, until } from '../testing/rig.ts';
import { watchPower, withPower } from './power-poll.ts';
import { createBmcReader, createPowerReader } from './read-bmc.ts';
import type { RememberedReading } from './reading-course.ts';

const credentials = async () => ({ username: 'root', password: 'calvin' });

function remembered(powerState: string, biosVersion = '1.0'): RememberedReading {
  const system = { path: '/redfish/v1/Systems/1', id: 'a', powerState, biosVersion } as never;
  return {
    at: 0,
    access: 'x',
    failures: 0,
    reading: { kind: 'read', board: {} as never, systems: [system], gaps: [] },
  };
}

test('a newer power or BIOS version replaces what was read before; the same, and nothing, leave it', () => {
  const path = '/redfish/v1/Systems/1';
  const power = (powerState: string | undefined, biosVersion: string | undefined): PowerReading[] => [
    { path, powerState, biosVersion },
  ];
  const systemsAfter = (readings: readonly PowerReading[]) => {
    const newer = withPower(remembered('On'), readings);
    return newer?.reading.kind === 'read'
      ? newer.reading.systems.map(({ powerState, biosVersion }) => [powerState, biosVersion])
      : undefined;
  };
  assert.deepEqual(systemsAfter(power('Off', '1.0')), [['Off', '1.0']]);
  assert.deepEqual(systemsAfter(power('On', '2.0')), [['On', '2.0']]);
  assert.deepEqual(
    systemsAfter(power(undefined, undefined)),
    [[undefined, '1.0']],
    'what a BMC does not say is not known',
  );
  assert.equal(systemsAfter(power('On', '1.0')), undefined);
  assert.equal(systemsAfter([]), undefined);
});

test('at each interval every BMC is asked once, no more of them at once than the limit', async () => {
  const clock = createFakeClock();
  const keys = Array.from({ length: 20 }, (_, index) => `bmc${index}`);
  const readings = new Map(keys.map((key) => [key, remembered('On')]));
  const asked: string[] = [];
  const woken: string[] = [];
  let [now, most] = [0, 0];
  const [watch] = watchPower({
    clock,
    settings: { powerIntervalMs: 180_000, powerReads: 4 },
    readings,
    locate: (key) =>
      key === 'bmc3' ? undefined : { origin: `https://${key}`, credentials, access: key === 'bmc4' ? 'y' : 'x' },
    async readPower({ name }, [path = '']) {
      asked.push(name);
      most = Math.max(most, ++now);
      await Promise.resolve();
      now -= 1;
      return name === 'bmc5' ? [] : [{ path, powerState: name === 'bmc6' ? 'On' : 'Off', biosVersion: '1.0' }];
    },
  });
  const leave = watch?.subscribe((key) => void woken.push(key));
  for (const _round of [1, 2]) {
    await clock.untilPending();
    assert.equal(asked.length % 18, 0);
    clock.advance(180_000);
    await clock.untilPending();
  }
  leave?.();
  assert.equal(asked.length, 36, 'neither one that is left alone nor one with another address is asked');
  assert.equal(most, 4);
  assert.equal(woken.length, 17, 'only what differs is looked at again, once; bmc5 since its power is not known');
});

for (const personality of ['dell-idrac9', 'hpe-ilo5', 'supermicro-x12', 'openbmc'] as const) {
  test(`${personality}: a Server follows its power long before its BMC is read again, by one request`, async (t) => {
    const { api, machine } = await setUp(t, personality);
    await until(api.servers, 'bmc0-system-0', ({ status }) => status?.powerState === 'On');
    machine.power.reset('ForceOff');
    await until(api.servers, 'bmc0-system-0', ({ status }) => status?.powerState === 'Off');
  });
}

for (const [what, isInline] of [
  ['behind a BMC object', false],
  ['that names its BMC itself', true],
] as const) {
  test(`a Server ${what} shows its power as soon as its versions were read, and not at the next interval`, async (t) => {
    const { api, machine } = await setUp(t, 'hpe-ilo5', { powerIntervalMs: 24 * 60 * 60_000, isInline });
    const name = isInline ? 'inline' : 'bmc0-system-0';
    await until(api.servers, name, ({ status }) => status?.powerState === 'On');
    await putFirmware(api, name);
    machine.power.reset('ForceOff');
    while (machine.power.state !== 'Off') await new Promise((resolve) => setTimeout(resolve, 5));
    const lastScanTime = '2030-01-01T00:00:00Z';
    await api.firmwares.status.patch({ name }, { type: 'merge', body: { status: { lastScanTime } } });
    await until(api.servers, name, ({ status }) => status?.powerState === 'Off');
  });
}

test('a BMC that is to be asked at once, and again while it waits, is asked once; those of an interval wait their turn', async () => {
  const clock = createFakeClock();
  const readings = new Map(['a', 'b', 'c'].map((key) => [key, remembered('On')]));
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  let wakeScanned = (_key: string): void => {};
  const [watch] = watchPower({
    clock,
    settings: { powerIntervalMs: 180_000, powerReads: 1 },
    readings,
    scanned: {
      subscribe(wake) {
        wakeScanned = wake;
        return () => {};
      },
    },
    locate: (key) => ({ origin: `https://${key}`, credentials, access: 'x' }),
    async readPower({ name }) {
      asked.push(name);
      await new Promise<void>((resolve) => answers.push(resolve));
      return [];
    },
  });
  const breathe = () => new Promise((resolve) => setImmediate(resolve));
  const leave = watch?.subscribe(() => assert.fail('nothing differs'));
  for (const key of ['b', 'c', 'c', 'a']) wakeScanned(key);
  await breathe();
  assert.deepEqual(asked, ['b']);
  while (answers.length > 0) {
    answers.shift()?.();
    await breathe();
  }
  assert.deepEqual(asked, ['b', 'c', 'a']);
  leave?.();
});

test('the power of a BMC that gives no answer for an interval is not known, until it answers again', async () => {
  const clock = createFakeClock();
  const readings = new Map([['a', remembered('On')]]);
  let isAway = true;
  let woken = 0;
  const [watch] = watchPower({
    clock,
    settings: { powerIntervalMs: 180_000, powerReads: 1 },
    readings,
    locate: (key) => ({ origin: `https://${key}`, credentials, access: 'x' }),
    readPower: async (_target, [path = '']) => (isAway ? [] : [{ path, powerState: 'Off', biosVersion: '2.0' }]),
  });
  const leave = watch?.subscribe(() => {
    woken += 1;
  });
  const shown = async () => {
    await clock.untilPending();
    clock.advance(180_000);
    await clock.untilPending();
    const reading = readings.get('a')?.reading;
    return reading?.kind === 'read' ? [reading.systems[0]?.powerState, reading.systems[0]?.biosVersion, woken] : [];
  };
  assert.deepEqual(await shown(), ['On', '1.0', 0], 'it may be restarting');
  assert.deepEqual(await shown(), [undefined, '1.0', 1]);
  assert.deepEqual(await shown(), [undefined, '1.0', 1]);
  isAway = false;
  assert.deepEqual(await shown(), ['Off', '2.0', 2]);
  leave?.();
});

async function setUp(
  t: TestContext,
  personality: PersonalityName,
  { powerIntervalMs = 20, isInline = false }: { readonly powerIntervalMs?: number; readonly isInline?: boolean } = {},
) {
  const dataCentre = await startDataCentre({
    ...{ seed: 3, servers: 1, isPlain: true, addressing: 'port', arePoweredOn: true, speed: 1000 },
    personalities: [personality],
  });
  t.after(() => dataCentre.close());
  const api = await startApi();
  t.after(() => api.close());
  const gates = createGates({ clock: systemClock });
  const reading = { gates, clock: systemClock, trustOf: () => ({ kind: 'system', allowsHttp: true }) as const };
  const controllers = await startControllers(api, {
    readBmc: createBmcReader(reading),
    readPower: createPowerReader(reading),
    settings: { gatherMs: 5, powerIntervalMs },
  });
  t.after(async () => {
    await controllers.stop();
    await gates.close();
  });
  const [bmc] = dataCentre.bmcs;
  assert.ok(bmc);
  const url = new URL(bmc.url);
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const data = { username: base64(bmc.username), password: base64(bmc.password) };
  const metadata = { name: 'bmc0' };
  await api.bmcSecrets.create({ apiVersion: ironcoreApiVersion, kind: 'BMCSecret', metadata, data });
  const protocol = { name: 'Redfish', port: Number(url.port), scheme: 'http' } as const;
  if (isInline) {
    const own = { address: url.hostname, protocol, bmcSecretRef: metadata };
    const spec = { systemUUID: bmc.machine.hardware.uuid, bmc: own };
    await api.servers.create({ apiVersion: ironcoreApiVersion, kind: 'Server', metadata: { name: 'inline' }, spec });
  } else {
    const spec = { access: { ip: url.hostname }, bmcSecretRef: metadata, protocol };
    await api.bmcs.create({ apiVersion: ironcoreApiVersion, kind: 'BMC', metadata, spec });
  }
  return { api, machine: bmc.machine };
}
