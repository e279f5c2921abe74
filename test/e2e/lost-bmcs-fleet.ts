import assert from 'node:assert/strict';
import { summarise, troublesOf } from '../../console/src/fleet/fleet-view.ts';
import { toHostRow } from '../../console/src/fleet/host-row.ts';
import { type createScaledClock, startDataCentre } from '../../simulator/index.ts';
import type { BareMetalHost } from '../../src/api/index.ts';
import { createGates, type TlsTrust } from '../../src/bmc/index.ts';
import { explainObject } from '../../src/cli/why/explain-object.ts';
import { createEngine, externalWork, openSqliteDatabase } from '../../src/engine/index.ts';
import { flasherKinds } from '../../src/flasher/index.ts';
import type { HostSettings } from '../../src/hosts/index.ts';
import { fleet, hostObject, putSecret, startHostApi, startHostRig, until } from '../../src/hosts/testing/rig.ts';
import type { AnyKubeObject, KubeObject } from '../../src/kube/index.ts';
import { createEngineDesk, createRedfishProvisioners, openHostRecords } from '../../src/provisioners/index.ts';
import { createMetrics } from '../../src/telemetry/index.ts';

type Host = BareMetalHost & KubeObject;

const second = 1000;
/** What goes wrong, and with which words its host says so. */
export const lostBmcFaults = new Map([
  ['connection-reset', /cannot be reached/],
  ['slow-answer', /did not answer/],
  ['busy', /busy/],
  ['certificate', /certificate .* is not trusted/],
  ['password', /refused the credentials/],
]);

/** What a fleet is made of, and how its time runs. */
export interface LostBmcsOptions {
  readonly servers: number;
  readonly clock: ReturnType<typeof createScaledClock>;
  /** How long a BMC may take to say how its host is; as shipped unless given. */
  readonly lookMs?: number;
  readonly settings?: Partial<HostSettings>;
}

/** A data centre, and hosts of it that nothing but their BMCs looks after. */
export async function startLostBmcs({ servers, clock, lookMs, settings }: LostBmcsOptions) {
  const centre = await startDataCentre({ seed: 21, servers, addressing: 'port', clock });
  const untrusted = new Set<string>();
  const trustOf = (origin: string): TlsTrust =>
    untrusted.has(origin) ? { kind: 'system' } : { kind: 'ca', caPem: centre.caPem ?? '' };
  const gates = createGates({ clock });
  const database = await openSqliteDatabase({ path: ':memory:', clock });
  const engine = await createEngine({ database, kinds: [...flasherKinds(), externalWork], clock });
  const provisioners = createRedfishProvisioners({
    ...{ gates, clock, trustOf },
    ...(lookMs === undefined ? {} : { lookMs }),
    records: await openHostRecords(database),
    desk: createEngineDesk(engine),
    catalogue: { find: async () => undefined },
  });
  const metrics = createMetrics();
  const api = await startHostApi();
  const scripted = provisioners as never;
  const rig = await startHostRig(api, { scripted, clock, metrics, ...(settings === undefined ? {} : { settings }) });
  for (const { name, url, systemPath, username, password } of centre.bmcs) {
    await putSecret(api, `${name}-bmc`, { username, password });
    const bmc = { address: `redfish+${url}${systemPath}`, credentialsName: `${name}-bmc` };
    await api.hosts.create(hostObject(name, { spec: { online: false, bmc } }));
  }
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
    const exposed = await metrics.expose();
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
  /** Spoils the BMCs of these servers, each in the way that is named; all others are well then. */
  const spoil = async (broken: ReadonlyMap<string, string>): Promise<void> => {
    const rules = [...broken].flatMap(([machines, kind]) =>
      kind === 'connection-reset' || kind === 'slow-answer' || kind === 'busy'
        ? [{ kind, machines, ...(kind === 'slow-answer' ? { durationMs: 86_400 * second } : {}) } as const]
        : [],
    );
    centre.setFaults(rules);
    untrusted.clear();
    for (const [name, kind] of broken) {
      if (kind === 'certificate') untrusted.add(new URL(centre.bmc(name).url).origin);
      if (kind === 'password') await setPassword(name, 'not this one');
    }
  };
  /** Resolves when all hosts are available. */
  const whenAvailable = async (): Promise<void> => {
    for (const { name } of centre.bmcs) {
      await until(api.hosts, name, ({ status }) => status?.provisioning.state === 'available');
    }
  };
  return {
    ...{ centre, api, told, spoil, setPassword, whenAvailable },
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

/** Which servers are spoilt how: every so many of them, with all faults in turn. */
export function spoilEach(names: readonly string[], step: number, most: number): ReadonlyMap<string, string> {
  const kinds = [...lostBmcFaults.keys()];
  const chosen = names.filter((_, at) => at % step === 0).slice(0, most);
  return new Map(chosen.map((name, at) => [name, kinds[at % kinds.length] ?? '']));
}

/** What everything says when exactly these are in trouble. */
export const allSay = (names: Iterable<string>) => {
  const sorted = [...names].sort();
  return { get: sorted, why: sorted, console: sorted, metrics: sorted };
};
