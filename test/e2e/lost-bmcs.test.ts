import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { summarise, troublesOf } from '../../console/src/fleet/fleet-view.ts';
import { toHostRow } from '../../console/src/fleet/host-row.ts';
import { createScaledClock, type DataCentre, startDataCentre } from '../../simulator/index.ts';
import type { BareMetalHost } from '../../src/api/index.ts';
import { createGates, type TlsTrust } from '../../src/bmc/index.ts';
import { explainObject } from '../../src/cli/why/explain-object.ts';
import { createEngine, externalWork, openSqliteDatabase } from '../../src/engine/index.ts';
import { flasherKinds } from '../../src/flasher/index.ts';
import { defaultHostSettings } from '../../src/hosts/index.ts';
import {
  fleet,
  type HostApi,
  hostObject,
  putSecret,
  startHostApi,
  startHostRig,
  until,
} from '../../src/hosts/testing/rig.ts';
import type { AnyKubeObject, KubeObject } from '../../src/kube/index.ts';
import { createEngineDesk, createRedfishProvisioners, openHostRecords } from '../../src/provisioners/index.ts';
import { createMetrics } from '../../src/telemetry/index.ts';

type Host = BareMetalHost & KubeObject;

const second = 1000;
/** What goes wrong, and with which words its host says so. */
const faults = new Map([
  ['connection-reset', /cannot be reached/],
  ['slow-answer', /did not answer/],
  ['busy', /busy/],
  ['certificate', /certificate .* is not trusted/],
  ['password', /refused the credentials/],
]);

/** A data centre, and hosts of it that nothing but their BMCs looks after. Time runs ten times as fast. */
async function startFleet(servers: number) {
  // Where everything waits for the processor, time does too.
  const clock = createScaledClock({ speed: 10, mostAtOnceMs: 20 });
  const centre = await startDataCentre({ seed: 21, servers, addressing: 'port', clock });
  const untrusted = new Set<string>();
  const trustOf = (origin: string): TlsTrust =>
    untrusted.has(origin) ? { kind: 'system' } : { kind: 'ca', caPem: centre.caPem ?? '' };
  const gates = createGates({ clock });
  const database = await openSqliteDatabase({ path: ':memory:', clock });
  const engine = await createEngine({ database, kinds: [...flasherKinds(), externalWork], clock });
  const provisioners = createRedfishProvisioners({
    ...{ gates, clock, trustOf, lookMs: 40 * second },
    records: await openHostRecords(database),
    desk: createEngineDesk(engine),
    catalogue: { find: async () => undefined },
  });
  const metrics = createMetrics();
  const api = await startHostApi();
  const settings = { ...defaultHostSettings, powerPollMs: 20 * second };
  const scripted = provisioners as never;
  const rig = await startHostRig(api, { scripted, clock, metrics, settings });
  for (const { name, url, systemPath, username, password } of centre.bmcs) {
    await putSecret(api, `${name}-bmc`, { username, password });
    const bmc = { address: `redfish+${url}${systemPath}`, credentialsName: `${name}-bmc` };
    await api.hosts.create(hostObject(name, { spec: { online: false, bmc } }));
  }
  return {
    ...{ centre, api, metrics, untrusted },
    async close() {
      await rig.stop();
      await provisioners.close();
      await gates.close();
      await api.close();
      await engine.close();
      await database.close();
      await centre.close();
      clock.close();
    },
  };
}

describe('a fleet of which some BMCs cannot be reached', () => {
  let running: Awaited<ReturnType<typeof startFleet>>;
  let centre: DataCentre;
  let api: HostApi;
  /** By the name of the server. */
  const broken = new Map<string, string>();
  const power = (): number =>
    centre.bmcs.flatMap(({ machine }) => machine.log.events.filter(({ event }) => event.startsWith('power.'))).length;
  let switched = 0;

  before(async () => {
    running = await startFleet(16);
    ({ centre, api } = running);
    for (const { name } of centre.bmcs) {
      await until(api.hosts, name, ({ status }) => status?.provisioning.state === 'available');
    }
    [...faults.keys()].forEach((kind, at) => {
      broken.set(centre.bmcs[at * 3]?.name ?? assert.fail(), kind);
    });
    switched = power();
  });
  after(() => running.close());

  const list = async (): Promise<readonly Host[]> => (await api.hosts.list({ namespace: fleet })).items;
  const setPassword = async (name: string, password: string): Promise<void> => {
    const data = { password: Buffer.from(password).toString('base64') };
    await api.secrets.patch({ namespace: fleet, name: `${name}-bmc` }, { type: 'merge', body: { data } });
  };
  /** Who is in trouble by everything that tells. */
  const told = async (): Promise<Record<string, readonly string[]>> => {
    const hosts = await list();
    const nameOf = ({ metadata }: Host): string => metadata.name ?? '';
    const rows = hosts.map((host) => toHostRow(host as never));
    const isInError = (host: Host): boolean => {
      const object: AnyKubeObject = { ...host };
      const [first = ''] = explainObject({
        object,
        events: [],
        work: [],
        network: undefined,
        port: undefined,
      }).sentences;
      return / is in (error|trouble) /.test(first);
    };
    const exposed = await running.metrics.expose();
    const counted = /^rackwright_hosts\{health="error"\} (\d+)$/m.exec(exposed)?.[1];
    const named = [...exposed.matchAll(/^rackwright_host_trouble\{.*host="([^"]+)".*\} 1$/gm)].map(
      ([, host = '']) => host,
    );
    assert.equal(Number(counted), named.length);
    assert.equal(summarise(rows, new Map()).trouble, troublesOf(rows, new Map()).length);
    return {
      get: hosts
        .filter(({ status }) => status?.operationalStatus === 'error')
        .map(nameOf)
        .sort(),
      why: hosts.filter(isInError).map(nameOf).sort(),
      console: troublesOf(rows, new Map())
        .map(({ row }) => row.name)
        .sort(),
      metrics: named.sort(),
    };
  };
  const allSay = (names: readonly string[]) => ({ get: names, why: names, console: names, metrics: names });

  it('says of exactly these that they are in trouble, and why', async () => {
    const rules = [...broken].flatMap(([machines, kind]) =>
      kind === 'connection-reset' || kind === 'slow-answer' || kind === 'busy'
        ? [{ kind, machines, ...(kind === 'slow-answer' ? { durationMs: 86_400 * second } : {}) } as const]
        : [],
    );
    centre.setFaults(rules);
    for (const [name, kind] of broken) {
      if (kind === 'certificate') running.untrusted.add(new URL(centre.bmc(name).url).origin);
      if (kind === 'password') await setPassword(name, 'not this one');
    }
    for (const [name, kind] of broken) {
      const host = await until(api.hosts, name, ({ status }) => status?.operationalStatus === 'error');
      assert.match(host.status?.errorMessage ?? '', faults.get(kind) ?? assert.fail(), kind);
    }
    assert.deepEqual(await told(), allSay([...broken.keys()].sort()));
  });

  it('says of none that it is once they answer, and has not disturbed one', async () => {
    centre.setFaults([]);
    running.untrusted.clear();
    for (const [name, kind] of broken) {
      if (kind === 'password') await setPassword(name, centre.bmc(name).password);
    }
    for (const [name] of broken) {
      const host = await until(
        api.hosts,
        name,
        ({ status }) => status?.operationalStatus === 'OK' && status.errorType === undefined,
      );
      assert.equal(host.status?.provisioning.state, 'available');
    }
    assert.deepEqual(await told(), allSay([]));
    assert.equal(power(), switched);
  });
});
