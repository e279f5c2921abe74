import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createSteppedClock, type RunningBmc, startDataCentre } from '../../../simulator/index.ts';
import { nobodyElse } from '../../hosts/index.ts';
import { createDemoProvisioners, type HostIdentity, type Provisioner } from '../../provisioners/index.ts';
import { openRackMachines } from './rack-machines.ts';
import { createRackProvisioners, holdForRack, noProvisioner } from './rack-provisioners.ts';

const registration = {
  isRetry: false,
  haveCredentialsChanged: true,
  bootMode: 'UEFI',
  cleaningMode: 'metadata',
  isExternallyProvisioned: false,
} as const;
const image = { url: 'http://images.example/linux.qcow2', checksum: 'abc' };
const provision = { isRetry: false, isForced: false, deployment: { image, bootMode: 'UEFI' }, config: {} } as const;

function hostOf({ name, url, systemPath }: RunningBmc, more: Partial<HostIdentity> = {}): HostIdentity {
  const bmc = { address: `redfish-virtualmedia+${url}${systemPath}`, isCertificateUnchecked: true };
  return { namespace: 'simulated', name, bmc, isPowerOffDisabled: false, ...more };
}

async function openRack(t: TestContext) {
  const clock = createSteppedClock();
  const dataCentre = await startDataCentre({ seed: 3, servers: 3, clock });
  t.after(() => dataCentre.close());
  const machines = openRackMachines(dataCentre);
  const demo = createDemoProvisioners({ machineOf: machines, pollMs: 1000 });
  /** The host of the first server, registered. */
  const register = async (more: Partial<HostIdentity> = {}): Promise<Provisioner> => {
    const provisioner = demo.of(hostOf(dataCentre.bmc('r01-s01'), more));
    await provisioner.register(registration);
    return provisioner;
  };
  const until = async (ask: () => Promise<{ readonly kind: string }>): Promise<string> => {
    for (;;) {
      const { kind } = await ask();
      if (kind !== 'continue') return kind;
      await clock.advance(1000);
    }
  };
  return { clock, dataCentre, machines, register, until };
}

test('a server is found by the address of its BMC, however it is written, and nothing else is', async (t) => {
  const { dataCentre, machines } = await openRack(t);
  const { url } = dataCentre.bmc('r01-s02');
  const { host, hostname } = new URL(url);
  const find = (address: string) => machines({ bmc: { address, isCertificateUnchecked: true } });
  assert.ok(find(`redfish+${url}`));
  assert.equal(find(`redfish+${url}/redfish/v1/Systems/1`), find(`redfish://${host}/redfish/v1/Systems/1`));
  for (const other of [`redfish://${hostname}:1`, 'redfish://192.0.2.1', `ipmi://${host}`, 'nonsense://x', '']) {
    assert.equal(find(other), undefined, other);
  }
});

test('a server is started from the network once, off or on, and tells what it is known by', async (t) => {
  const { clock, dataCentre, register, until } = await openRack(t);
  const { machine } = dataCentre.bmc('r01-s01');
  const provisioner = await register();
  const marks = await provisioner.readMarks?.();
  assert.ok(marks?.kind === 'done');
  assert.deepEqual(marks.value.serialNumbers, [machine.hardware.serial]);
  assert.deepEqual(
    [...marks.value.macs].sort(),
    machine.hardware.nics.flatMap(({ ports }) => ports.map(({ mac }) => mac.toLowerCase())).sort(),
  );
  const boots = () => machine.log.events.filter(({ event }) => event === 'boot').map(({ detail }) => detail);
  for (const count of [1, 2]) {
    assert.equal(await until(() => provisioner.bootFromNetwork?.() ?? assert.fail('it cannot')), 'done');
    while (boots().length < count) await clock.advance(10_000);
  }
  const reboot = { target: 'reboot', mode: 'hard', isForced: false, isRetry: false } as const;
  assert.equal(await until(() => provisioner.setPower(reboot)), 'done');
  while (boots().length < 3) await clock.advance(10_000);
  assert.deepEqual(boots(), ['from=pxe', 'from=pxe', 'from=disk']);
});

test('the details of a server are what its BMC says too', async (t) => {
  const { dataCentre, register } = await openRack(t);
  const { hardware, personality, firmware } = dataCentre.bmc('r01-s01').machine;
  const inspection = { isRetry: false, isRefresh: false, isForced: false, bootMode: 'UEFI' } as const;
  const outcome = await (await register()).inspect(inspection);
  assert.ok(outcome.kind === 'done');
  const { systemVendor, nics = [], storage = [], firmware: seen, hostname } = outcome.value;
  assert.deepEqual(systemVendor, {
    manufacturer: personality.manufacturer,
    productName: hardware.model,
    serialNumber: hardware.serial,
  });
  assert.equal(seen?.bios?.version, firmware.find(({ component }) => component === 'bios')?.version);
  assert.equal(hostname, 'r01-s01');
  assert.deepEqual(
    storage.map(({ serialNumber }) => serialNumber),
    hardware.drives.map(({ serial }) => serial),
  );
  assert.deepEqual(
    nics.map(({ pxe }) => pxe),
    nics.map((_, index) => index === 0),
  );
  assert.ok(nics.some(({ lldp }) => lldp?.switchSystemName?.startsWith('tor-r01')));
});

test('an image goes onto the disk, runs once the server is on, and goes again', async (t) => {
  const { clock, dataCentre, register, until } = await openRack(t);
  const provisioner = await register();
  const [host] = dataCentre.hosts;
  const first = await provisioner.provision(provision);
  assert.deepEqual(first, { kind: 'continue', afterMs: 1000, hasStarted: true });
  assert.equal((await provisioner.provision(provision)).kind, 'continue');
  assert.equal(await until(() => provisioner.provision(provision)), 'done');
  await clock.settle();
  assert.deepEqual([host?.running, host?.disk?.url], ['deployed image', image.url]);
  const off = { isRetry: false, cleaningMode: 'metadata' } as const;
  assert.equal(await until(() => provisioner.deprovision(off)), 'done');
  assert.deepEqual([host?.running, host?.disk, host?.machine.power.state], ['nothing', undefined, 'Off']);
});

test('a server that must not be switched off is restarted instead', async (t) => {
  const { clock, dataCentre, register, until } = await openRack(t);
  const provisioner = await register({ isPowerOffDisabled: true });
  const { machine } = dataCentre.bmc('r01-s01');
  const order = { mode: 'hard', isForced: false, isRetry: false } as const;
  assert.equal(await until(() => provisioner.setPower({ ...order, target: 'on' })), 'done');
  await clock.settle();
  assert.equal((await provisioner.setPower({ ...order, target: 'off' })).kind, 'done');
  assert.deepEqual([machine.power.state, machine.power.bootProgress], ['On', 'PrimaryProcessorInitializationStarted']);
});

test('what the BIOS does not take is told, and nothing is restarted for it', async (t) => {
  const { dataCentre, register } = await openRack(t);
  const provisioner = await register();
  const settings = { ProcTurboMode: 'Sometimes' };
  const outcome = await provisioner.prepare({ isRetry: false, isWanted: true, settings });
  assert.deepEqual(outcome, { kind: 'failed', message: 'the BIOS refuses ProcTurboMode (bad-value)' });
  assert.equal(dataCentre.bmc('r01-s01').machine.power.state, 'Off');
});

test('settings that somebody else staged keep no host from being available', async (t) => {
  const { dataCentre, register } = await openRack(t);
  const provisioner = await register();
  assert.equal(dataCentre.bmc('r01-s01').machine.bios.stage({ ProcTurboMode: 'Disabled' }), 'ok');
  assert.equal((await provisioner.prepare({ isRetry: false, isWanted: false })).kind, 'done');
});

test('firmware is not written past the install service, and is shown as it is', async (t) => {
  const { dataCentre, register } = await openRack(t);
  const provisioner = await register();
  const updates = [{ component: 'bios', url: 'http://files/bios-9.bin' }];
  const outcome = await provisioner.prepare({ isRetry: false, isWanted: true, updates });
  assert.ok(outcome.kind === 'failed' && /ServerFirmware/.test(outcome.message));
  const bios = dataCentre.bmc('r01-s01').machine.firmware.find(({ component }) => component === 'bios');
  assert.ok(bios);
  const initialVersion = bios.version;
  const readBios = async () => {
    const read = await provisioner.readFirmwareComponents();
    return read.kind === 'done' ? read.value.find(({ component }) => component === 'bios') : undefined;
  };
  assert.deepEqual(await readBios(), { component: 'bios', initialVersion, currentVersion: initialVersion });
  bios.version = '9.9.9';
  assert.deepEqual(await readBios(), {
    component: 'bios',
    initialVersion,
    currentVersion: '9.9.9',
    lastVersionFlashed: '9.9.9',
  });
});

test('a host that is not of the rack waits and is told why', async (t) => {
  const { dataCentre, machines } = await openRack(t);
  const provisioners = createRackProvisioners(machines);
  const own = hostOf(dataCentre.bmc('r01-s01'));
  assert.equal((await provisioners.of(own).register(registration)).kind, 'done');
  const bmc = { address: 'redfish://192.0.2.1', isCertificateUnchecked: false };
  const other = await provisioners.of({ ...own, name: 'mine', bmc }).register(registration);
  assert.ok(other.kind === 'unavailable' && other.message === noProvisioner);
  await provisioners.close();
});

test('a machine is held for what touches it, and asked for again soon', async () => {
  const asked: string[] = [];
  const work = holdForRack({
    ...nobodyElse,
    hold: async (_, what) => {
      asked.push(what);
      return { kind: 'refused', message: 'busy', afterMs: 10_000 };
    },
  });
  const host = {
    namespace: 'n',
    name: 'h',
    bmc: { address: '', isCertificateUnchecked: true },
    isPowerOffDisabled: false,
  };
  assert.deepEqual(await work.hold(host, 'inspect'), { kind: 'held' });
  assert.deepEqual(await work.hold(host, 'clean'), { kind: 'refused', message: 'busy', afterMs: 1000 });
  assert.deepEqual(asked, ['clean']);
});
