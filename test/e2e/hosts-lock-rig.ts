import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openEngineExternalWork } from '../../src/cli/hosts/engine-external-work.ts';
import {
  type Condition,
  createEngine,
  type Engine,
  externalWork,
  type KindDefinition,
  type Lease,
  openSqliteDatabase,
} from '../../src/engine/index.ts';
import { type HostControllers, startHostControllers } from '../../src/hosts/index.ts';
import { fleet, type HostApi, hostObject } from '../../src/hosts/testing/rig.ts';
import { systemClock } from '../../src/kube/index.ts';
import { createIronicProvisioners } from '../../src/provisioners/index.ts';
import {
  createFakeBmc,
  type FakeBmc,
  type FakeIronic,
  type FakeNode,
  startFakeIronic,
} from '../../src/provisioners/ironic/testing/index.ts';

/** Work that would disturb who uses a machine. */
export const install: KindDefinition = {
  kind: 'firmwareInstall',
  sharing: 'exclusive',
  isDisruptive: true,
  leaseMs: 600_000,
  requestDeadlineMs: 10,
  maxLeases: 10,
  check: (parameters) => ({ parameters, problems: [] }),
};

/** Hosts on a fake Ironic beside an engine on a store in a file. */
export interface LockRig {
  readonly ironic: FakeIronic;
  readonly bmc: FakeBmc;
  /** The engine of now: a restart makes another. */
  readonly engine: Engine;
  readonly host: string;
  readonly owner: string;
  node(): FakeNode;
  /** Starts controllers, the ones before having been stopped. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Another engine on the same store, or on an empty one. */
  restartEngine(store?: 'same' | 'empty'): Promise<void>;
  makeHost(): Promise<void>;
  patchHost(body: object): Promise<unknown>;
  /** Waits until the host is in a state, waking it where it only waits for a time. */
  untilState(state: string): Promise<void>;
  /** The inventory learns of the machine. */
  learn(): Promise<void>;
  order(): Promise<Condition>;
  lease(): Promise<Lease | undefined>;
}

let made = 0;

/** Waits until something is so; says what it waited for when that takes far too long. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const limit = AbortSignal.timeout(120_000);
  while (!(await isSo())) {
    if (limit.aborted) throw new Error(`it never was so that ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Sets all up; it ends with the test. */
export async function setUpLock(t: TestContext, api: HostApi): Promise<LockRig> {
  made += 1;
  const host = `lock-${made}`;
  const key = `${fleet}/${host}`;
  const bmc = createFakeBmc(made);
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-lock-'));
  const ironic = await startFakeIronic({ bmcs: [bmc] });
  const openEngine = async (path: string) => {
    const database = await openSqliteDatabase({ path, clock: systemClock });
    const engine = await createEngine({ database, kinds: [install, externalWork], clock: systemClock });
    await engine.worker.online({ id: 'w1', kinds: [install.kind], facilities: ['fc1'] });
    return {
      engine,
      async close() {
        await engine.close();
        await database.close();
      },
    };
  };
  let path = join(folder, 'engine.db');
  let opened = await openEngine(path);
  let controllers: HostControllers | undefined;
  // Work that takes its time is looked at again only when the test says so.
  const provisioners = createIronicProvisioners({
    url: ironic.url,
    delays: { shortMs: 20, longMs: 3_600_000, awayMs: 50 },
  });
  const stop = async (): Promise<void> => {
    await controllers?.stop();
    controllers = undefined;
  };
  t.after(async () => {
    await stop();
    await opened.close();
    await provisioners.close();
    await ironic.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const stateOf = async () => (await api.hosts.get({ namespace: fleet, name: host })).status?.provisioning.state;
  return {
    ironic,
    bmc,
    host,
    owner: `BareMetalHost ${key}`,
    get engine() {
      return opened.engine;
    },
    node: () => ironic.node(`${fleet}~${host}`),
    async start() {
      controllers = startHostControllers({
        client: api.client,
        provisioners,
        openExternalWork: () => openEngineExternalWork({ engine: opened.engine, clock: systemClock }),
        clock: systemClock,
        random: Math.random,
      });
      await controllers.whenSynced();
    },
    stop,
    async restartEngine(store = 'same') {
      await opened.close();
      if (store === 'empty') path = join(folder, 'another.db');
      opened = await openEngine(path);
    },
    async makeHost() {
      const data = { username: bmc.username, password: bmc.password };
      const encoded = Object.entries(data).map(([name, value]) => [name, Buffer.from(value).toString('base64')]);
      const metadata = { namespace: fleet, name: `${host}-bmc` };
      await api.secrets.create({ apiVersion: 'v1', kind: 'Secret', metadata, data: Object.fromEntries(encoded) });
      const address = bmc.redfishAddress.replace('http:', 'redfish+http:') + bmc.systemPath;
      const spec = { bmc: { address, credentialsName: `${host}-bmc` }, bootMACAddress: bmc.macs[0] ?? '' };
      await api.hosts.create(hostObject(host, { spec }));
    },
    patchHost: (body) => api.hosts.patch({ namespace: fleet, name: host }, { type: 'merge', body }),
    untilState: (state) =>
      until(`${host} is ${state}`, async () => {
        if ((await stateOf()) === state) return true;
        controllers?.hosts()?.wake(key);
        return false;
      }),
    async learn() {
      const record = { id: host, facility: 'fc1', bmcId: host, manufacturer: 'Dell', model: 'R750', hold: undefined };
      await opened.engine.machines.put(record, [{ kind: 'bmc-address', value: bmc.redfishAddress }]);
    },
    async order() {
      const orders = [{ kind: install.kind, parameters: {}, priority: 9 }];
      const asked = await opened.engine.create({ target: `server/${host}`, client: 'test', orders });
      const [condition] = asked.outcome === 'conflict' ? [] : asked.conditions;
      if (condition === undefined) throw new Error('it was not ordered');
      return condition;
    },
    async lease() {
      const [lease] = await opened.engine.worker.lease('w1', { max: 1, waitMs: 0 });
      return lease;
    },
  };
}
