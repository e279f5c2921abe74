import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BareMetalHost } from '../api/index.ts';
import { createFakeClock, type KubeClient, type ResourceRef } from '../kube/index.ts';
import { createMetrics } from '../telemetry/index.ts';
import { nobodyElse } from './ports.ts';
import {
  fleet,
  type HostApi,
  putHost,
  putSecret,
  startHostApi,
  startHostRig,
  until,
  untilGone,
  untilState,
} from './testing/rig.ts';
import { createScriptedProvisioners } from './testing/scripted-provisioners.ts';

describe('rounds about hosts on an API server', () => {
  let api: HostApi;
  before(async () => {
    api = await startHostApi();
  });
  after(() => api.close());

  it('begin again with a Secret that changes, and tell the provisioner so', async () => {
    const rig = await startHostRig(api);
    await putHost(api, 's1');
    const host = await untilState(api, 's1', 'available');
    const before = host.status?.goodCredentials?.credentialsVersion;
    const data = { password: Buffer.from('changed').toString('base64') };
    await api.secrets.patch({ namespace: fleet, name: 's1-bmc' }, { type: 'merge', body: { data } });
    await until(api.hosts, 's1', ({ status }) => status?.goodCredentials?.credentialsVersion !== before);
    const last = rig.provisioners.calls.findLast(({ host: name, method }) => name === 's1' && method === 'register');
    assert.equal((last?.order as { haveCredentialsChanged: boolean } | undefined)?.haveCredentialsChanged, true);
    assert.equal(last?.identity.bmc?.credentials?.password, 'changed');
    await rig.stop();
  });

  it('wait for a Secret that is not there yet', async () => {
    const rig = await startHostRig(api, { settings: { secretRetryMs: 20 } });
    await putHost(api, 's2', { hasNoSecret: true });
    const host = await until(api.hosts, 's2', ({ status }) => status?.errorType === 'registration error');
    assert.match(host.status?.errorMessage ?? '', /^BMC CredentialsName secret doesn't exist/);
    await putSecret(api, 's2-bmc');
    await untilState(api, 's2', 'available');
    await rig.stop();
  });

  it('write every state once, also one whose work takes no time, and wait for what is over soon without another word', async (t) => {
    const scripted = createScriptedProvisioners();
    const rig = await startHostRig(api, { scripted });
    t.after(() => rig.stop());
    scripted.answer('inspect', { kind: 'continue', afterMs: 5, hasStarted: true });
    scripted.answer('prepare', { kind: 'continue', afterMs: 0, hasStarted: true });
    const { resourceVersion = '' } = await api.hosts.list({ namespace: fleet });
    const watching = recordStates('s3', resourceVersion, t.signal);
    await putHost(api, 's3', { spec: { online: true, image: { url: 'http://x/i', checksum: 'a' } } });
    await untilState(api, 's3', 'provisioned');
    const body = { spec: { image: null } };
    await api.hosts.patch({ namespace: fleet, name: 's3' }, { type: 'merge', body });
    await untilState(api, 's3', 'available');
    await api.hosts.delete({ namespace: fleet, name: 's3' });
    await untilGone(api.hosts, 's3');
    assert.deepEqual(await watching, [
      ...['registering', 'inspecting', 'preparing', 'available', 'provisioning', 'provisioned'],
      ...['deprovisioning', 'available', 'powering off before delete', 'deleting'],
    ]);
    const { items } = await api.events.list({ namespace: fleet });
    const reasons = items
      .filter(({ involvedObject }) => (involvedObject as { name: string }).name === 's3')
      .map(({ reason }) => reason);
    assert.equal(reasons.filter((reason) => reason === 'InspectionStarted').length, 1);
  });

  /** The states of a host in the order of writes, without repetitions, until it is gone. */
  async function recordStates(name: string, resourceVersion: string, signal: AbortSignal): Promise<readonly string[]> {
    const states: string[] = [];
    for await (const { type, object } of api.hosts.watch({ namespace: fleet, resourceVersion, signal })) {
      if (object.metadata?.name !== name) continue;
      if (type === 'DELETED') break;
      const { state } = (object as BareMetalHost).status?.provisioning ?? {};
      if (state !== undefined && state !== '' && state !== states.at(-1)) states.push(state);
    }
    return states;
  }

  it('go on in another process where the last one ended', async () => {
    const scripted = createScriptedProvisioners();
    scripted.answer('inspect', ...Array.from({ length: 3 }, () => ({ kind: 'continue' as const, afterMs: 60_000 })));
    const first = await startHostRig(api, { scripted });
    await putHost(api, 's4');
    await untilState(api, 's4', 'inspecting');
    await first.stop();
    const second = await startHostRig(api);
    await untilState(api, 's4', 'available');
    await second.stop();
  });

  it('do not begin a preparation again of which the last process did not hear that it began', async (t) => {
    const note = 'hosts.rackwright.io/preparation';
    const scripted = createScriptedProvisioners();
    const away = { kind: 'unavailable', message: 'no answer came', afterMs: 3_600_000 } as const;
    scripted.answer('prepare', ...Array.from({ length: 10 }, () => away));
    const first = await startHostRig(api, { scripted });
    await putHost(api, 's15', { spec: { raid: { hardwareRAIDVolumes: [{ level: '1' }] } } });
    const noted = await until(api.hosts, 's15', ({ metadata }) => metadata.annotations?.[note] !== undefined);
    assert.deepEqual(JSON.parse(noted.metadata.annotations?.[note] ?? ''), {
      raid: { hardwareRAIDVolumes: [{ level: '1' }] },
      updates: [],
    });
    await untilState(api, 's15', 'preparing');
    await first.stop();
    const again = createScriptedProvisioners();
    again.answer('prepare', { kind: 'continue', afterMs: 0, isUnderWay: true });
    const second = await startHostRig(api, { scripted: again });
    t.after(() => second.stop());
    await untilState(api, 's15', 'available');
    const host = await until(api.hosts, 's15', ({ metadata }) => metadata.annotations?.[note] === undefined);
    assert.equal(host.status?.provisioning.raid?.hardwareRAIDVolumes?.[0]?.level, '1');
    const orders = again.calls.filter(({ host: name, method }) => name === 's15' && method === 'prepare');
    const [asked, ...later] = orders.map(({ order }) => (order as { isWanted: boolean }).isWanted);
    assert.equal(asked, true);
    // A round may have to begin anew; but nothing is wanted of it then.
    assert.deepEqual(new Set(later), new Set([false]));
  });

  it('survive somebody who changes the host in the middle', async () => {
    const scripted = createScriptedProvisioners();
    const plain = scripted.of;
    const provisioners = {
      ...scripted,
      of: (identity: Parameters<typeof plain>[0]) => ({
        ...plain(identity),
        inspect: async (order: Parameters<ReturnType<typeof plain>['inspect']>[0]) => {
          const count = scripted.methods('s5').filter((method) => method === 'inspect').length;
          const body = { metadata: { labels: { touched: String(count) } } };
          if (identity.name === 's5' && count < 2)
            await api.hosts.patch({ namespace: fleet, name: 's5' }, { type: 'merge', body });
          return plain(identity).inspect(order);
        },
      }),
    };
    const rig = await startHostRig(api, { provisioners });
    await putHost(api, 's5');
    const host = await untilState(api, 's5', 'available');
    assert.equal(host.metadata.labels?.touched, '1');
    await rig.stop();
  });

  it('of hosts that share a Secret do not take it from each other', async () => {
    const rig = await startHostRig(api);
    await putSecret(api, 'shared');
    const bmc = (last: number) => ({ bmc: { address: `redfish://10.55.0.${last}`, credentialsName: 'shared' } });
    await putHost(api, 's6', { spec: bmc(1), hasNoSecret: true });
    await putHost(api, 's7', { spec: bmc(2), hasNoSecret: true });
    await untilState(api, 's6', 'available');
    await untilState(api, 's7', 'available');
    const secret = await until(api.secrets, 'shared', ({ metadata }) => metadata.ownerReferences?.length === 2);
    assert.equal(secret.metadata.finalizers?.length, 1);
    await api.hosts.delete({ namespace: fleet, name: 's6' });
    await untilGone(api.hosts, 's6');
    const left = await api.secrets.get({ namespace: fleet, name: 'shared' });
    assert.deepEqual(
      left.metadata.ownerReferences?.map(({ name }) => name),
      ['s7'],
    );
    assert.equal(left.metadata.finalizers?.length, 1);
    await rig.stop();
  });

  it('let others in where a host is gone, also one of before', async () => {
    const released = new Set<string>();
    const both = Promise.withResolvers<void>();
    const externalWork = {
      ...nobodyElse,
      owners: async () => [
        { namespace: fleet, name: 'left-over' },
        { namespace: fleet, name: 's13' },
      ],
      releaseOwner: async ({ name }: { readonly name: string }) => {
        released.add(name);
        if (released.size === 2) both.resolve();
      },
    };
    await putHost(api, 's13');
    const rig = await startHostRig(api, { openExternalWork: () => externalWork });
    await untilState(api, 's13', 'available');
    await both.promise;
    await rig.stop();
    assert.deepEqual([...released].sort(), ['left-over', 's13']);
  });

  it('that could not let others in again are begun again for that, though nothing else is due', async (t) => {
    const clock = createFakeClock();
    const scripted = createScriptedProvisioners();
    scripted.answer('inspect', { kind: 'failed', message: 'no' });
    let isAway = true;
    const released = Promise.withResolvers<void>();
    const release = async () => {
      if (isAway) throw new Error('the store is away');
      released.resolve();
    };
    const externalWork = { ...nobodyElse, release, releaseOwner: release };
    const rig = await startHostRig(api, {
      openExternalWork: () => externalWork,
      scripted,
      clock,
      settings: { resyncMs: 1e12 },
    });
    t.after(() => rig.stop());
    await putHost(api, 's14');
    await until(api.hosts, 's14', ({ status }) => status?.errorType === 'inspection error');
    const body = { metadata: { annotations: { 'baremetalhost.metal3.io/paused': '' } } };
    await api.hosts.patch({ namespace: fleet, name: 's14' }, { type: 'merge', body });
    const ticking = setInterval(() => {
      const why = rig.controllers.hosts()?.last(`${fleet}/s14`)?.why ?? [];
      // From then on nothing is due.
      if (!why.some(({ code }) => code === 'Paused')) return;
      isAway = false;
      clock.advance(1000);
    }, 1);
    t.after(() => clearInterval(ticking));
    await released.promise;
  });

  it('store an error about detaching, which the API of Metal3 refuses', async () => {
    const scripted = createScriptedProvisioners();
    const rig = await startHostRig(api, { scripted });
    await putHost(api, 's10');
    await untilState(api, 's10', 'available');
    scripted.answer('detach', { kind: 'failed', message: 'locked' });
    const body = { metadata: { annotations: { 'baremetalhost.metal3.io/detached': '' } } };
    await api.hosts.patch({ namespace: fleet, name: 's10' }, { type: 'merge', body });
    await until(api.hosts, 's10', ({ status }) => status?.errorType === 'detach error');
    await rig.stop();
  });

  it('are not begun by what they wrote themselves', async () => {
    const rig = await startHostRig(api);
    await putHost(api, 's11');
    await untilState(api, 's11', 'available');
    await until(api.firmwareComponents, 's11', ({ status }) => status?.lastUpdated !== undefined);
    await putHost(api, 's12');
    await untilState(api, 's12', 'available');
    assert.equal(rig.provisioners.methods('s11').filter((method) => method === 'register').length, 1);
    await rig.stop();
  });

  it('are counted', async () => {
    const metrics = createMetrics();
    const rig = await startHostRig(api, { metrics });
    await putHost(api, 's8');
    await untilState(api, 's8', 'available');
    await rig.stop();
    const text = await metrics.expose();
    assert.match(text, /metal3_reconcile_total\{namespace="fleet",host="s8"\} [1-9]/);
    assert.match(text, /metal3_provisioning_state_change_total\{prev_state="registering",new_state="inspecting"\} 1/);
    assert.match(text, /metal3_operation_inspect_duration_seconds_count\{namespace="fleet",host="s8"\} 1/);
    assert.match(text, /metal3_delayed__provisioning_total/);
    assert.match(text, /metal3_credentials_updated_total 1/);
  });

  it('count a Secret that cannot be read for another cause than that it is not there, and go on when it can', async () => {
    const metrics = createMetrics();
    const client = await api.connect();
    let refusals = 2;
    const secretsOf = (ref: ResourceRef) => {
      const secrets = client.resource(ref);
      if (ref.resource !== 'secrets') return secrets;
      const patch: typeof secrets.patch = (...all) => {
        refusals -= 1;
        return refusals < 0 ? secrets.patch(...all) : Promise.reject(new Error('etcd is away'));
      };
      return Object.assign(Object.create(secrets) as typeof secrets, { patch });
    };
    const spoilt = Object.assign(Object.create(client) as KubeClient, { resource: secretsOf });
    const rig = await startHostRig(api, { metrics, client: spoilt });
    try {
      await putHost(api, 's20');
      await untilState(api, 's20', 'available');
    } finally {
      await rig.stop();
    }
    assert.match(await metrics.expose(), /metal3_credentials_unhandled_error_total 2/);
  });

  it('tell of the consumer of a host in its events', async () => {
    const rig = await startHostRig(api);
    await putHost(api, 's9', { spec: { consumerRef: { kind: 'Metal3Machine', name: 'm1', namespace: fleet } } });
    await untilState(api, 's9', 'available');
    await rig.stop();
    const { items } = await api.events.list({ namespace: fleet });
    const event = items.find(
      ({ involvedObject, reason }) => (involvedObject as { name: string }).name === 's9' && reason === 'Registered',
    );
    assert.deepEqual((event?.related as { name: string } | undefined)?.name, 'm1');
    assert.deepEqual(event?.source, { component: 'metal3-baremetal-controller' });
    assert.equal(event?.reportingComponent, 'metal3.io/baremetal-controller');
  });
});
