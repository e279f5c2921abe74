import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ProvisioningState, quarantineLabel } from '../../api/index.ts';
import { discoveryNote, writeDiscoveryNote } from '../annotations/discovery-note.ts';
import { bmcDetails, discovered, discoveredId } from '../testing/discovered-host.ts';
import { allowAll, policyOf, settingsOf } from '../testing/live-host.ts';
import { type PlayedHost, type PlayedOptions, playHost, wakeMs } from '../testing/played-host.ts';
import { someHardware } from '../testing/scripted-provisioners.ts';
import { deployed, statusIn } from '../testing/settled-status.ts';

const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };
const goesOn = { kind: 'continue', afterMs: 10_000 } as const;
const unknown = { kind: 'unregistered' } as const;
const idOnly = writeDiscoveryNote({ provisionerId: discoveredId });

/** A discovered host that has come as far as this, and of whose BMC nothing is known. */
function taken(state: ProvisioningState, options: PlayedOptions = {}): PlayedHost {
  const { triedCredentials: _, goodCredentials: __, ...status } = statusIn(state, options.status);
  const { spec } = discovered(options.spec);
  const annotations = { [discoveryNote]: idOnly, ...options.annotations };
  const provisioning = { ...status.provisioning, ID: discoveredId };
  return playHost({ ...options, spec, annotations, status: { ...status, provisioning } });
}

function powerOf({ status }: PlayedHost): string | undefined {
  const found = status.conditions?.find(({ type }) => type === 'PowerManagement');
  return found === undefined ? undefined : `${found.status} ${found.reason}`;
}

const asleep = ['register', 'inspect', 'setPower', 'service', 'attachDataImage'];

function checkLeftAlone({ provisioners }: PlayedHost): void {
  assert.deepEqual(
    provisioners.methods().filter((method) => asleep.includes(method)),
    [],
    'nothing that needs a BMC is asked for',
  );
}

describe('a host that discovery made', () => {
  it('becomes available without being registered, inspected or switched', async () => {
    const played = playHost(discovered());
    await played.settle();
    assert.equal(played.state, 'available');
    assert.deepEqual(played.provisioners.methods(), ['importHost', 'prepare', 'look']);
    assert.equal(played.provisioners.calls[0]?.identity.id, discoveredId);
    assert.equal(played.provisioners.calls[0]?.identity.bmc, undefined);
    assert.equal(played.status.provisioning.ID, discoveredId);
    const noted = played.provisioners.calls.map(({ method, identity }) => [method, identity.isIdNoted === true]);
    const expected = [
      ['importHost', true],
      ['prepare', false],
      ['look', false],
    ];
    assert.deepEqual(noted, expected, 'it is told whose word the id is');
    assert.equal(played.status.operationalStatus, 'OK');
    assert.deepEqual(played.status.hardware, someHardware);
    assert.deepEqual(played.hardwareData?.spec?.hardware, someHardware);
    assert.equal(played.status.hardwareProfile, 'unknown');
    assert.equal(powerOf(played), 'False NoBMCDetails');
    assert.deepEqual(
      played.reasons().filter((reason) => ['Discovered', 'Imported', 'ProfileSet', 'Registered'].includes(reason)),
      ['Discovered', 'Imported', 'ProfileSet'],
    );
  });

  it('keeps of the note only the id, in the one write that notes its architecture', async () => {
    const played = playHost(discovered());
    await played.settle();
    assert.equal(played.host.metadata.annotations?.[discoveryNote], idOnly);
    assert.equal(played.host.spec?.architecture, 'x86_64');
    assert.equal(played.done.filter((what) => what === 'change-host').length, 2);
  });

  it('says that it is discovered while it is not taken over, and that it is being imported then', async () => {
    const played = playHost(discovered());
    played.provisioners.answer('importHost', { kind: 'unavailable', message: 'down', afterMs: 30_000 });
    await played.round();
    assert.equal(played.state, 'importing');
    const manageable = played.status.conditions?.find(({ type }) => type === 'Manageable');
    assert.deepEqual([manageable?.reason, manageable?.message], ['Importing', 'down']);
    assert.equal(played.status.errorType, undefined, 'a provisioner that is away is no error');
    await played.settle();
    assert.equal(played.state, 'available');
  });

  it('waits for the machine to tell what it is made of, where discovery did not', async () => {
    const played = playHost({ ...discovered(), annotations: { [discoveryNote]: idOnly } });
    played.provisioners.answer('readInventory', { kind: 'done', value: undefined as never });
    await played.round();
    assert.equal(played.state, 'importing');
    await played.settle();
    assert.equal(played.state, 'available');
    assert.deepEqual(played.hardwareData?.spec?.hardware, someHardware);
    assert.ok(!played.provisioners.methods().includes('inspect'));
  });

  it('without the note stays unmanaged, and nobody is asked about it', async () => {
    const played = playHost({ spec: discovered().spec });
    await played.round();
    await played.round();
    assert.deepEqual([played.state, played.status.operationalStatus], ['unmanaged', 'discovered']);
    assert.deepEqual(played.provisioners.methods(), []);
    assert.equal(powerOf(played), undefined);
  });

  it('with a note that cannot be read stays unmanaged and says so once', async () => {
    const played = playHost({ ...discovered(), annotations: { [discoveryNote]: '{"hardware":{}}' } });
    const end = await played.round();
    assert.equal(played.state, 'unmanaged');
    assert.deepEqual(end.wake, { on: 'change' });
    assert.equal(played.reasons().filter((reason) => reason === 'InvalidAnnotationValue').length, 1);
  });

  it('is left alone while it is paused', async () => {
    const { spec, annotations } = discovered();
    const played = playHost({ spec, annotations: { ...annotations, 'baremetalhost.metal3.io/paused': '' } });
    await played.round();
    assert.deepEqual([played.state, played.done], ['', []]);
  });

  it('whose machine is not known any more says what to do, and goes on when it is back', async () => {
    const played = playHost(discovered());
    played.provisioners.answer('importHost', unknown, unknown, unknown, unknown, unknown, unknown, unknown);
    for (let round = 0; round < 7; round++) {
      const end = await played.round();
      assert.ok(wakeMs(end.wake) <= played.settings.unmanagedPollMs, 'it is not waited for hours');
    }
    assert.deepEqual([played.state, played.status.errorType], ['importing', 'registration error']);
    assert.match(played.status.errorMessage, /node-7.*boot it into its agent/);
    await played.settle();
    assert.deepEqual([played.state, played.status.errorType, played.status.errorCount], ['available', undefined, 0]);
  });

  it('is told of a provisioner that takes over nothing', async () => {
    const played = playHost(discovered());
    const { of } = played.provisioners;
    Object.assign(played.provisioners, {
      of: (identity: Parameters<typeof of>[0]) => ({ ...of(identity), importHost: undefined }),
    });
    await played.round();
    assert.match(played.status.errorMessage, /set spec\.bmc/);
  });

  it('whose machine is that of another host is refused, and takes nothing from it when it goes', async () => {
    const played = playHost(discovered());
    played.rival = 'fleet/first';
    await played.round();
    assert.equal(played.status.errorType, 'registration error');
    assert.match(played.status.errorMessage, /is that of the host fleet\/first already/);
    played.delete();
    for (let round = 0; round < 3; round++) await played.round();
    assert.deepEqual(played.host.metadata.finalizers, []);
    assert.deepEqual(played.provisioners.methods(), []);
  });

  it('is removed by the id that discovery told, though it was never taken over', async () => {
    const played = playHost(discovered());
    played.provisioners.answer('importHost', goesOn);
    await played.round();
    played.delete();
    await played.round();
    assert.deepEqual(played.host.metadata.finalizers, []);
    const removed = played.provisioners.calls.find(({ method }) => method === 'remove');
    assert.deepEqual([removed?.identity.id, removed?.identity.isIdNoted], [discoveredId, true]);
  });
});

describe('a host in quarantine', () => {
  const quarantined = (options: PlayedOptions): PlayedHost => {
    const played = playHost(options);
    played.host = { ...played.host, metadata: { ...played.host.metadata, labels: { [quarantineLabel]: 'true' } } };
    return played;
  };
  const release = (played: PlayedHost): void => {
    const { labels: _, ...metadata } = played.host.metadata;
    played.host = { ...played.host, metadata };
  };
  const held: readonly (readonly [string, PlayedOptions, string])[] = [
    ['importing', discovered({ image }), 'importHost'],
    ['importing', discovered({ externallyProvisioned: true }), 'importHost'],
    ['registering', { annotations: discovered().annotations, spec: { image } }, 'register'],
    ['registering', {}, 'register'],
  ];
  for (const [state, options, method] of held) {
    it(`rests in ${state} until it is released, and nothing is done to its machine: ${method}`, async () => {
      const played = quarantined(options);
      for (let round = 0; round < 3; round++) await played.settle();
      assert.equal(played.state, state);
      assert.deepEqual([...new Set(played.provisioners.methods())], [method]);
      const manageable = played.status.conditions?.find(({ type }) => type === 'Manageable');
      assert.match(manageable?.message ?? '', /in quarantine: .*discovery\.rackwright\.io\/quarantine/);
      assert.equal(played.status.errorType, undefined);
      release(played);
      await played.settle();
      assert.match(played.state, /^(available|provisioned|externally provisioned)$/);
    });

    it(`is deleted from ${state} (${method}) without having been prepared or switched`, async () => {
      const played = quarantined(options);
      await played.settle();
      played.delete();
      for (let round = 0; round < 3; round++) await played.round();
      assert.deepEqual(played.host.metadata.finalizers, []);
      assert.deepEqual([...new Set(played.provisioners.methods())], [method, 'remove']);
    });
  }

  it('has told what it is made of, so that somebody can judge it', async () => {
    const played = quarantined(discovered());
    await played.settle();
    assert.deepEqual(played.status.hardware, someHardware);
    assert.deepEqual(played.hardwareData?.spec?.hardware, someHardware);
  });

  it('goes on with what it does already when the label comes later', async () => {
    const played = taken('provisioned', { status: deployed(), spec: { image } });
    played.host = { ...played.host, metadata: { ...played.host.metadata, labels: { [quarantineLabel]: '' } } };
    await played.settle();
    assert.equal(played.state, 'provisioned');
  });
});

describe('a host without BMC details', () => {
  it('is provisioned and deprovisioned by its provisioner alone', async () => {
    const played = playHost(discovered({ image }));
    await played.settle();
    assert.equal(played.state, 'provisioned');
    played.edit({ image: undefined as never });
    await played.settle();
    assert.equal(played.state, 'available');
    assert.ok(played.provisioners.methods().includes('deprovision'));
    checkLeftAlone(played);
  });

  it('is not provisioned while it is to be offline, and is never switched', async () => {
    const played = taken('available', { spec: { image, online: false } });
    await played.settle();
    assert.equal(played.state, 'available');
    assert.equal(powerOf(played), 'False OnlineIgnored');
    checkLeftAlone(played);
  });

  it('answers a reboot and an inspection with an event, and forgets them', async () => {
    const wishes = { 'reboot.metal3.io': '{"mode":"hard","force":true}', 'inspect.metal3.io': '' };
    for (const state of ['available', 'provisioned'] as const) {
      const status = state === 'provisioned' ? deployed() : {};
      const played = taken(state, { annotations: wishes, status, spec: state === 'provisioned' ? { image } : {} });
      await played.settle();
      assert.deepEqual(Object.keys(played.host.metadata.annotations ?? {}), [discoveryNote]);
      assert.deepEqual(played.reasons(), ['RebootIgnored', 'InspectionIgnored']);
      assert.equal(played.state, state);
      checkLeftAlone(played);
    }
  });

  it('says once that nobody can hold it off', async () => {
    const annotations = { 'reboot.metal3.io/fence': '' };
    const played = taken('provisioned', { annotations, status: deployed(), spec: { image } });
    for (let round = 0; round < 3; round++) await played.settle();
    assert.deepEqual(played.reasons(), ['RebootIgnored']);
    assert.equal(powerOf(played), 'False RebootIgnored');
    checkLeftAlone(played);
  });

  it('is not provisioned by force, whatever holds it', async () => {
    const annotations = { 'reboot.metal3.io/x': '{"force":true}' };
    const played = taken('available', { annotations, spec: { image } });
    await played.settle();
    const order = played.provisioners.calls.find(({ method }) => method === 'provision')?.order;
    assert.equal((order as { isForced: boolean }).isForced, false);
  });

  it('is taken over again by its provisioner when that has forgotten it', async () => {
    const played = taken('provisioned', { status: deployed(), spec: { image } });
    played.provisioners.answer('adopt', unknown);
    await played.round();
    assert.equal(played.status.provisioning.ID, '');
    await played.settle();
    assert.deepEqual([played.state, played.status.provisioning.ID], ['provisioned', discoveredId]);
    checkLeftAlone(played);
  });

  it('stays what it is when somebody takes the note away', async () => {
    const played = taken('provisioned', { status: deployed(), spec: { image } });
    played.annotate({ [discoveryNote]: undefined });
    await played.settle();
    assert.deepEqual([played.state, played.status.errorType], ['provisioned', undefined]);
    assert.equal(powerOf(played), 'False NoBMCDetails');
  });

  it('gets no live updates, and says so, and its firmware holds up nothing', async () => {
    const played = taken('provisioned', { status: deployed(), spec: { image } });
    played.updatePolicy = policyOf(allowAll);
    played.firmwareSettings = settingsOf({ AssetTag: 'b' }, {}, { seenGeneration: 1 });
    played.annotate({ 'reboot.metal3.io': '' });
    await played.settle();
    const told = played.status.conditions?.find(({ type }) => type === 'LiveUpdates');
    assert.equal(told?.reason, 'NotSupported');
    checkLeftAlone(played);
    played.edit({ image: undefined as never });
    await played.settle();
    assert.equal(played.state, 'available');
  });

  it('is detached and taken back', async () => {
    const played = taken('provisioned', { status: deployed(), spec: { image } });
    played.annotate({ 'baremetalhost.metal3.io/detached': '' });
    await played.settle();
    assert.equal(played.status.operationalStatus, 'detached');
    played.annotate({ 'baremetalhost.metal3.io/detached': undefined });
    await played.settle();
    assert.deepEqual([played.state, played.status.operationalStatus], ['provisioned', 'OK']);
    checkLeftAlone(played);
  });

  for (const state of ['preparing', 'available', 'provisioned', 'externally provisioned', 'deprovisioning'] as const) {
    it(`can be deleted while it is ${state}, and is not switched off`, async () => {
      const isUsed = state === 'provisioned' || state === 'deprovisioning';
      const played = taken(state, { status: isUsed ? deployed(undefined, state) : {} });
      played.delete();
      for (let round = 0; round < 5 && played.host.metadata.finalizers?.length !== 0; round++) await played.round();
      assert.deepEqual(played.host.metadata.finalizers, []);
      assert.equal(played.provisioners.methods().includes('deprovision'), isUsed);
      assert.equal(played.provisioners.methods().at(-1), 'remove');
      checkLeftAlone(played);
    });
  }

  it('can be deleted though its provisioner has lost it', async () => {
    const played = taken('provisioned', { status: deployed() });
    played.provisioners.answer('deprovision', unknown);
    played.delete();
    for (let round = 0; round < 5 && played.host.metadata.finalizers?.length !== 0; round++) await played.round();
    assert.deepEqual(played.host.metadata.finalizers, []);
    assert.ok(!played.provisioners.methods().includes('importHost'));
  });
});

describe('BMC details that come later', () => {
  const states: readonly (readonly [ProvisioningState, PlayedOptions])[] = [
    ['preparing', {}],
    ['available', {}],
    ['provisioned', { status: deployed(), spec: { image } }],
    ['externally provisioned', { spec: { externallyProvisioned: true } }],
  ];
  for (const [state, options] of states) {
    it(`make a host that is ${state} a managed one, by its id, without an inspection`, async () => {
      const played = taken(state, options);
      played.edit({ bmc: bmcDetails });
      await played.settle();
      assert.equal(played.state, state === 'preparing' ? 'available' : state);
      const registered = played.provisioners.calls.find(({ method }) => method === 'register');
      assert.equal(registered?.identity.id, discoveredId);
      assert.equal(
        (registered?.order as { haveCredentialsChanged: boolean } | undefined)?.haveCredentialsChanged,
        true,
      );
      assert.ok(!played.provisioners.methods().some((each) => ['inspect', 'setPower', 'importHost'].includes(each)));
      assert.equal(powerOf(played), 'True BMCAccessValidated');
      assert.deepEqual(played.status.hardware, someHardware);
    });
  }

  it('come before a host is taken over: it is registered by its id and not inspected', async () => {
    const played = playHost({ annotations: discovered().annotations });
    await played.settle();
    assert.equal(played.state, 'available');
    assert.equal(played.provisioners.calls[0]?.method, 'register');
    assert.equal(played.provisioners.calls[0]?.identity.id, discoveredId);
    assert.ok(!played.provisioners.methods().includes('inspect'));
    assert.deepEqual(played.hardwareData?.spec?.hardware, someHardware);
  });

  it('come with another host that has the machine: the id is not used', async () => {
    const played = playHost({ annotations: discovered().annotations });
    played.rival = 'fleet/first';
    await played.settle();
    assert.equal(played.provisioners.calls[0]?.identity.id, undefined);
  });

  it('let it be inspected where somebody asks for that', async () => {
    const { annotations } = discovered();
    const played = playHost({ annotations: { ...annotations, 'inspect.metal3.io': '' } });
    await played.settle();
    assert.ok(played.provisioners.methods().includes('inspect'));
  });

  it('that are wrong are told of, leave what runs alone, and can be corrected', async () => {
    const played = taken('provisioned', { status: deployed(), spec: { image } });
    played.edit({ bmc: bmcDetails });
    played.provisioners.answer('register', { kind: 'failed', message: 'its BMC refuses the password' });
    await played.round();
    assert.deepEqual([played.state, played.status.errorType], ['provisioned', 'registration error']);
    assert.equal(powerOf(played), 'False BMCNotReached');
    assert.deepEqual(played.provisioners.methods(), ['register'], 'nothing is done to what runs');
    played.secret = { kind: 'found', version: '8', username: 'admin', password: 'right', isClaimed: true };
    await played.settle();
    assert.deepEqual([played.state, played.status.errorType], ['provisioned', undefined]);
    assert.equal(powerOf(played), 'True BMCAccessValidated');
    assert.equal(played.status.provisioning.ID, discoveredId);
  });

  it('that are wrong can be taken back: the host is what it was', async () => {
    const played = taken('provisioned', { status: deployed(), spec: { image } });
    played.edit({ bmc: bmcDetails });
    played.provisioners.answer('register', { kind: 'failed', message: 'its BMC is not there' });
    await played.round();
    played.edit({ bmc: undefined as never });
    await played.settle();
    assert.deepEqual([played.state, played.status.errorType], ['provisioned', undefined]);
    assert.equal(powerOf(played), 'False NoBMCDetails');
  });

  it('make its power manageable: it is rebooted like any other', async () => {
    const played = taken('provisioned', { status: deployed(), spec: { image } });
    played.edit({ bmc: bmcDetails });
    await played.settle();
    played.annotate({ 'reboot.metal3.io': '{"mode":"hard"}' });
    await played.settle();
    assert.deepEqual(
      played.provisioners.calls
        .filter(({ method }) => method === 'setPower')
        .map(({ order }) => (order as { target: string }).target),
      ['off', 'on'],
    );
  });
});
