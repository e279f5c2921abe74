import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HostEffect, HostSeen, Step } from '../decide/seen.ts';
import { type PlayedHost, playHost, wakeMs } from '../testing/played-host.ts';
import { type PlayedPorts, playPorts, plugged } from '../testing/played-ports.ts';
import { someHardware } from '../testing/scripted-provisioners.ts';
import { deployed, statusIn } from '../testing/settled-status.ts';
import { followPorts } from './await-ports.ts';

const mac = someHardware.nics?.[0]?.mac ?? '';
const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };

function pluggedHost(options: Parameters<typeof playHost>[0] = {}): { played: PlayedHost; ports: PlayedPorts } {
  const ports = playPorts('leaf-1');
  const played = playHost({ ...options, spec: { ports: [plugged('leaf-1', mac)], ...options.spec } });
  played.network = ports;
  return { played, ports };
}

function conditionOf({ status }: PlayedHost, type: string) {
  const found = status.conditions?.find((each) => each.type === type);
  return found === undefined ? undefined : { status: found.status, reason: found.reason, message: found.message };
}

describe('a host with switch ports', () => {
  it('waits for its provisioning network before it is inspected, and says for which port', async () => {
    const { played, ports } = pluggedHost();
    const end = await played.round();
    assert.deepEqual(ports.links, ['leaf-1 pxe']);
    assert.equal(played.state, 'registering');
    assert.equal(wakeMs(end.wake), Number.POSITIVE_INFINITY);
    const message = `Waiting for port infra/leaf-1 of ${mac}: it is being set to infra/pxe.`;
    assert.deepEqual(conditionOf(played, 'NetworkConfigured'), { status: 'False', reason: 'PortConfiguring', message });
    assert.deepEqual(end.why, [{ code: 'PortConfiguring', message }]);
    assert.ok(!played.done.includes('ask inspect'));
    await played.round();
    assert.equal(played.reasons().filter((reason) => reason === 'WaitingForSwitchPort').length, 1);
    ports.settle();
    await played.settle();
    assert.equal(played.state, 'available');
    assert.equal(conditionOf(played, 'NetworkConfigured')?.status, 'True');
    assert.equal(conditionOf(played, 'NetworkCabling')?.status, 'True');
    assert.deepEqual(ports.links, ['leaf-1 pxe']);
  });

  it('gets its own network once it is deployed, and goes on being looked after meanwhile', async () => {
    const { played, ports } = pluggedHost();
    await played.round();
    ports.settle();
    await played.settle();
    played.edit({ image });
    await played.settle();
    assert.equal(played.state, 'provisioned');
    assert.deepEqual(ports.links, ['leaf-1 pxe', 'leaf-1 blue']);
    assert.equal(conditionOf(played, 'NetworkConfigured')?.status, 'False');
    assert.equal(played.status.poweredOn, true);
    ports.settle();
    await played.round();
    assert.equal(conditionOf(played, 'NetworkConfigured')?.status, 'True');
    assert.equal(played.status.operationalStatus, 'OK');
  });

  it('has its port cleaned after deploy where it has no configuration', async () => {
    const entry = plugged('leaf-1', mac);
    const { configuration: _, ...bare } = entry;
    const { played, ports } = pluggedHost({ spec: { ports: [bare], image } });
    await played.round();
    ports.settle();
    await played.settle();
    assert.equal(played.state, 'provisioned');
    assert.deepEqual(ports.links, ['leaf-1 pxe', 'leaf-1 -']);
  });

  it('is back on the provisioning network before it is deprovisioned', async () => {
    const { played, ports } = pluggedHost({ status: statusIn('provisioned', deployed()), spec: { image } });
    await played.round();
    ports.settle();
    played.edit({ image: undefined as never });
    await played.round();
    assert.equal(played.state, 'provisioned');
    assert.deepEqual(ports.links, ['leaf-1 blue', 'leaf-1 pxe']);
    assert.ok(!played.done.includes('ask deprovision'));
    ports.settle();
    await played.settle();
    assert.equal(played.state, 'available');
    assert.ok(played.done.includes('ask deprovision'));
  });

  it('takes back what it linked to a port that it does not name any more', async () => {
    for (const left of [[], [plugged('leaf-2', mac)]]) {
      const ports = playPorts('leaf-1', 'leaf-2');
      const both = [plugged('leaf-1', mac), plugged('leaf-2', mac)];
      const played = playHost({ status: statusIn('provisioned', deployed()), spec: { image, ports: both } });
      played.network = ports;
      await played.round();
      ports.settle();
      played.edit({ ports: left });
      await played.settle();
      assert.deepEqual(ports.links.slice(2), left.length === 0 ? ['leaf-1 -', 'leaf-2 -'] : ['leaf-1 -']);
      assert.equal(conditionOf(played, 'NetworkConfigured') === undefined, left.length === 0);
    }
  });

  it('is let go when its ports are clean', async () => {
    const { played, ports } = pluggedHost({ status: statusIn('available') });
    await played.round();
    ports.settle();
    played.delete();
    await played.round();
    assert.deepEqual(ports.links, ['leaf-1 pxe', 'leaf-1 -']);
    assert.equal(played.state, 'deleting');
    assert.equal(played.host.metadata.finalizers?.length, 1);
    await played.round();
    assert.equal(played.host.metadata.finalizers?.length, 1);
    ports.settle();
    await played.round();
    assert.deepEqual(played.host.metadata.finalizers, []);
  });

  it('with nothing on it is not kept from going by a port in error', async () => {
    const { played, ports } = pluggedHost({ status: statusIn('available') });
    await played.round();
    ports.settle();
    played.delete();
    for (let round = 0; round < 6; round++) {
      await played.round();
      ports.fail('leaf-1', 'no route to host');
    }
    assert.deepEqual(played.host.metadata.finalizers, []);
  });

  it('is not kept from going by a port that nobody has', async () => {
    const { played, ports } = pluggedHost({ status: statusIn('provisioned', deployed()), spec: { image } });
    await played.round();
    ports.remove('leaf-1');
    played.delete();
    for (let round = 0; round < 6; round++) await played.round();
    assert.ok(played.done.includes('ask deprovision'));
    assert.deepEqual(played.host.metadata.finalizers, []);
  });

  it('is not deprovisioned while its port is in error, on whatever network that is, until it is plugged out', async () => {
    const { played, ports } = pluggedHost({ status: statusIn('provisioned', deployed()), spec: { image } });
    await played.round();
    ports.settle();
    played.delete();
    for (let round = 0; round < 6; round++) {
      await played.round();
      ports.fail('leaf-1', 'no route to host');
    }
    assert.equal(played.state, 'provisioned');
    assert.equal(played.status.errorMessage, `Port infra/leaf-1 of ${mac}: no route to host.`);
    assert.ok(!played.done.includes('ask deprovision'));
    played.edit({ ports: [] });
    for (let round = 0; round < 6; round++) await played.round();
    assert.ok(played.done.includes('ask deprovision'));
    assert.deepEqual(played.host.metadata.finalizers, []);
  });

  it('stays on its own network while it waits for room to be deprovisioned', async () => {
    const { played, ports } = pluggedHost({ status: statusIn('provisioned', deployed()), spec: { image } });
    await played.round();
    ports.settle();
    for (let round = 0; round < 9; round++)
      played.provisioners.answer('hasCapacity', { kind: 'done', value: false as never });
    played.delete();
    for (let round = 0; round < 3; round++) await played.round();
    assert.equal(played.state, 'provisioned');
    assert.deepEqual(ports.links, ['leaf-1 blue']);
  });

  it('that goes while it is detached leaves its ports as they are', async () => {
    const { played, ports } = pluggedHost({ status: statusIn('provisioned', deployed()), spec: { image } });
    await played.round();
    ports.settle();
    played.annotate({ 'baremetalhost.metal3.io/detached': '{"deleteAction":"delete"}' });
    played.delete();
    for (let round = 0; round < 3; round++) await played.round();
    assert.deepEqual(played.host.metadata.finalizers, []);
    assert.deepEqual(ports.links, ['leaf-1 blue']);
  });

  it('has the error of its port as its own, which neither counts as a failure nor stays', async () => {
    const { played, ports } = pluggedHost({ status: statusIn('available'), spec: { image } });
    await played.round();
    ports.fail('leaf-1', 'no route to host');
    await played.round();
    await played.round();
    assert.equal(played.state, 'available');
    assert.equal(played.status.operationalStatus, 'error');
    assert.equal(played.status.errorType, 'network error');
    assert.equal(played.status.errorMessage, `Port infra/leaf-1 of ${mac}: no route to host.`);
    assert.equal(played.status.errorCount, 0);
    assert.equal(played.reasons().filter((reason) => reason === 'NetworkError').length, 1);
    ports.settle();
    await played.settle();
    assert.equal(played.state, 'provisioned');
    assert.equal(played.status.errorType, undefined);
    assert.equal(played.status.operationalStatus, 'OK');
  });

  it('that is being provisioned goes on when a port gets into error, and says so', async () => {
    const { played, ports } = pluggedHost({ status: statusIn('available'), spec: { image } });
    await played.round();
    ports.settle();
    played.provisioners.answer('provision', { kind: 'continue', afterMs: 10_000, hasStarted: true });
    await played.round();
    assert.equal(played.state, 'provisioning');
    ports.fail('leaf-1', 'no route to host');
    played.provisioners.answer('provision', { kind: 'continue', afterMs: 10_000 });
    await played.round();
    assert.equal(played.state, 'provisioning');
    assert.equal(played.status.errorType, 'network error');
    await played.round();
    assert.equal(played.state, 'provisioned');
    assert.equal(played.status.provisioningFailCount, 0);
  });

  it('waits for a port that is not there yet', async () => {
    const { played, ports } = pluggedHost();
    ports.remove('leaf-1');
    await played.round();
    assert.equal(played.state, 'registering');
    assert.equal(conditionOf(played, 'NetworkConfigured')?.reason, 'PortNotFound');
    assert.deepEqual(ports.links, []);
  });

  it('does nothing before anybody could look at its ports', async () => {
    const { played } = pluggedHost({ status: statusIn('available') });
    played.network = { ...playPorts(), look: () => 'unknown' };
    played.delete();
    for (let round = 0; round < 5; round++) await played.round();
    assert.equal(played.host.metadata.finalizers?.length, 1);
    assert.equal(played.state, 'deleting');
  });

  it('hears of an interface that is plugged in elsewhere, or that it does not have', async () => {
    const { played, ports } = pluggedHost({ spec: { ports: [plugged('leaf-1', '02:00:00:00:00:01')] } });
    await played.round();
    ports.settle();
    await played.settle();
    assert.equal(played.state, 'available');
    assert.equal(conditionOf(played, 'NetworkCabling')?.reason, 'InterfaceNotFound');
  });

  it('says nothing about ports once it has none any more', async () => {
    const { played, ports } = pluggedHost({ status: statusIn('available') });
    await played.round();
    ports.fail('leaf-1', 'no route to host');
    await played.round();
    assert.equal(played.status.errorType, 'network error');
    played.edit({ ports: undefined as never });
    await played.round();
    assert.equal(conditionOf(played, 'NetworkConfigured'), undefined);
    assert.equal(played.status.errorType, undefined);
  });
});

describe('a host without switch ports', () => {
  it('is decided as where nobody looks after ports', async () => {
    const [one, other] = [playHost(), playHost()];
    other.network = playPorts('leaf-1');
    for (const played of [one, other]) {
      await played.settle();
      played.edit({ image });
      await played.settle();
    }
    assert.deepEqual(other.done, one.done);
    assert.deepEqual(other.status, one.status);
    assert.deepEqual((other.network as PlayedPorts).links, []);
  });
});

describe('a service of a host in use', () => {
  const order = { ticket: 'one', isSpecified: true };
  const service: HostEffect = { kind: 'ask', key: 'ask service', question: { name: 'service', order } };
  const draftIn = (operationalStatus: 'OK' | 'servicing') => ({
    status: statusIn('provisioned', { ...deployed(), operationalStatus }),
    events: [],
    counts: [],
  });

  it('begins on the provisioning network, stays there, and is followed by the network of the host', async () => {
    const { played, ports } = pluggedHost({ spec: { image } });
    const follow = async (step: Step): Promise<Step> => {
      const seen = { host: played.host, network: ports.look(played.host) } as HostSeen;
      const followed = followPorts(seen, draftIn('OK'), { step, now: 0 });
      if (followed.kind !== 'do' || followed === step) return followed;
      for (const effect of followed.effects)
        if (effect.kind === 'link-port') await ports.link(effect, new AbortController().signal);
      return follow(step);
    };
    const asking: Step = { kind: 'do', draft: draftIn('OK'), effects: [service] };
    const resting = (status: 'OK' | 'servicing'): Step => ({
      kind: 'rest',
      draft: draftIn(status),
      wake: { after: 60_000 },
      why: [],
    });
    await follow(resting('OK'));
    ports.settle();
    const held = await follow(asking);
    assert.equal(held.kind === 'rest' && held.why[0]?.code, 'PortConfiguring');
    ports.settle();
    assert.equal(await follow(asking), asking);
    await follow(resting('servicing'));
    assert.deepEqual(ports.links, ['leaf-1 blue', 'leaf-1 pxe']);
    ports.fail('leaf-1', 'no route to host');
    const troubled = await follow(resting('servicing'));
    assert.equal(troubled.draft.status.operationalStatus, 'servicing');
    await follow(resting('OK'));
    assert.deepEqual(ports.links, ['leaf-1 blue', 'leaf-1 pxe', 'leaf-1 blue']);
  });
});
