import assert from 'node:assert/strict';
import { type SeenHost, stateOf } from '../hosts/host-diary.ts';
import type { Offer } from './live-machine.ts';
import { conditionOf, type LiveStage, rebootOnce } from './live-stage.ts';

/** Takes a machine in and has it run something. */
export async function provision(stage: LiveStage): Promise<void> {
  const { machine, imageUrl, namespace, install } = stage.parts;
  await install?.enrol();
  const name = `${machine.name}-bmc`;
  await stage.apply(
    { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData: machine.login },
    {
      apiVersion: 'metal3.io/v1alpha1',
      kind: 'BareMetalHost',
      metadata: { ...stage.key, annotations: { 'inspect.metal3.io': 'disabled' } },
      spec: {
        online: true,
        automatedCleaningMode: 'disabled',
        bmc: {
          address: `redfish-virtualmedia+${machine.origin}${machine.systemPath}`,
          disableCertificateVerification: true,
          credentialsName: name,
        },
        bootMACAddress: machine.bootMac,
        image: { url: imageUrl, format: 'live-iso' },
      },
    },
  );
  await stage.wait('the state provisioned, switched on', async () => {
    const host = stage.latest();
    return stateOf(host) === 'provisioned' && host?.status?.poweredOn === true ? true : undefined;
  });
  for (const companion of [stage.settings, stage.components]) {
    await stage.wait('its companions', async () => {
      const { items } = await companion.list({ namespace });
      const found = items.find(({ metadata }) => metadata.name === machine.name);
      return found?.status?.lastUpdated === undefined ? undefined : true;
    });
  }
  await stage.allow();
}

/** What a live update is told apart from earlier ones by. */
export interface Begun {
  readonly mark: number;
  /** What was told before, with how often. */
  readonly told: ReadonlyMap<string, number>;
}

/** Reboots a host of which something is wanted, once it says that it waits for that. */
async function rebootWhenAwaited(stage: LiveStage, mark: number): Promise<Begun> {
  await stage.untilSince(mark, 'it waits for its reboot', (host) => {
    return conditionOf(host, 'LiveUpdates') === 'True WaitsForReboot';
  });
  const told = await stage.parts.diary.events(stage.key.name);
  const begun = { mark: stage.mark(), told };
  await stage.reboot();
  return begun;
}

const isServicing = ({ status }: SeenHost): boolean => status?.operationalStatus === 'servicing';
const hasEnded = ({ status }: SeenHost): boolean =>
  status?.operationalStatus === 'OK' && (status.operationHistory?.service?.end ?? null) !== null;

/** Waits for the end of a live update, and looks at all that was said of it meanwhile. */
async function untilEnded(stage: LiveStage, { mark, told }: Begun, result: string): Promise<SeenHost> {
  const first = await stage.untilSince(mark, 'servicing', isServicing);
  const ended = await stage.untilSince(stage.since(0).indexOf(first), 'OK again', hasEnded);
  const { start, end } = ended.status?.operationHistory?.service ?? {};
  assert.ok(Date.parse(start ?? '') <= Date.parse(end ?? ''), 'its history has no times');
  assert.equal(ended.status?.errorMessage, '');
  assert.equal(ended.metadata.annotations?.[rebootOnce], undefined, 'the annotation stays');
  assert.equal(stateOf(ended), 'provisioned');
  await stage.untilTold(result, (told.get(result) ?? 0) + 1);
  const node = await stage.node();
  if (stage.parts.ironic !== undefined) {
    assert.deepEqual([node?.provision_state, node?.maintenance], ['active', false]);
  }
  return ended;
}

/** The operational statuses since a mark, the one of then first. */
function statusesSince(stage: LiveStage, mark: number): readonly string[] {
  return stage
    .since(mark - 1)
    .map(({ status }) => status?.operationalStatus ?? '')
    .filter((each, index, all) => each !== all[index - 1]);
}

async function checkCompleted(stage: LiveStage, begun: Begun): Promise<void> {
  await untilEnded(stage, begun, 'ServicingComplete');
  assert.deepEqual(statusesSince(stage, begun.mark), ['OK', 'servicing', 'OK']);
  await stage.untilTold('ServicingStarted', (begun.told.get('ServicingStarted') ?? 0) + 1);
  await stage.wait('nothing more to change, switched on', async () => {
    const host = stage.latest();
    const isSo = conditionOf(host, 'LiveUpdates') === 'True NothingToChange' && host?.status?.poweredOn === true;
    return isSo ? true : undefined;
  });
  assert.equal(await stage.parts.machine.isPoweredOn(), true);
}

/** Wants another BIOS setting. */
export async function changeSetting(stage: LiveStage): Promise<void> {
  const { machine } = stage.parts;
  const { name, value } = await chooseSetting(stage);
  const mark = stage.mark();
  await stage.wantSettings({ [name]: value });
  const begun = await rebootWhenAwaited(stage, mark);
  await checkCompleted(stage, begun);
  assert.equal(await machine.bios(name), value);
  const { status } = await stage.settings.get(stage.key);
  assert.equal(status?.settings?.[name], value);
  // From here on, what is wanted of its firmware is all that is wanted.
  await stage.wantSettings({});
}

/** A setting that may be changed, and another value for it, as the schema of the host tells. */
async function chooseSetting(stage: LiveStage): Promise<{ readonly name: string; readonly value: string }> {
  const { settings = {}, schema } = await stage.wait('the schema of its settings', async () => {
    const { status } = await stage.settings.get(stage.key);
    return status?.schema === undefined ? undefined : status;
  });
  const { biosSetting } = stage.parts.machine;
  const { spec } = await stage.schemas.get({ namespace: stage.key.namespace, name: schema?.name ?? '' });
  const [name, { allowable_values: values = [] }] =
    Object.entries(spec?.schema ?? {}).find(
      ([each, { read_only, allowable_values = [] }]) =>
        (biosSetting ?? each) === each && read_only !== true && allowable_values.length > 1,
    ) ?? assert.fail('there is no setting to change');
  const value = values.find((each) => each !== settings[name]);
  return { name, value: value ?? assert.fail(`there is no other value for ${name}`) };
}

/** Begins an update of the BIOS, and resolves in the middle of it. */
export async function beginUpdate(stage: LiveStage, offer: Offer): Promise<Begun> {
  const mark = stage.mark();
  await stage.wantUpdates(offer);
  const begun = await rebootWhenAwaited(stage, mark);
  await stage.untilSince(begun.mark, 'servicing, without the annotation', (host) => {
    return isServicing(host) && host.metadata.annotations?.[rebootOnce] === undefined;
  });
  await offer.inTheMiddle();
  if (stage.parts.ironic === undefined) return begun;
  await stage.wait('the middle of its service in Ironic', async () => {
    const node = await stage.node();
    return node?.provision_state === 'service wait' && node.reservation === null ? true : undefined;
  });
  return begun;
}

/** Wants another BIOS; what does it is restarted in the middle. */
export async function updateWithRestart(stage: LiveStage): Promise<void> {
  const { machine, interrupt } = stage.parts;
  const flashes = machine.flashes();
  const offer = machine.offer('held');
  const begun = await beginUpdate(stage, offer);
  await interrupt();
  offer.letGo();
  await checkCompleted(stage, begun);
  assert.equal(await machine.biosVersion(), offer.version);
  assert.equal(machine.flashes(), flashes === undefined ? undefined : flashes + 1);
  const { status } = await stage.components.get(stage.key);
  assert.deepEqual(
    status?.updates?.map(({ url }) => url),
    [offer.url],
  );
}

/** Wants a BIOS that cannot be installed, and then nothing any more. */
export async function failAndGiveUp(stage: LiveStage): Promise<void> {
  const mark = stage.mark();
  await stage.wantUpdates(stage.parts.machine.offer('bad'));
  const begun = await rebootWhenAwaited(stage, mark);
  const failed = await stage.untilSince(begun.mark, 'a servicing error', ({ status }) => {
    return status?.operationalStatus === 'error' && status.errorType === 'servicing error';
  });
  assert.notEqual(failed.status?.errorMessage, '');
  assert.equal(conditionOf(failed, 'LiveUpdates'), 'False Failed');
  assert.equal(stateOf(failed), 'provisioned');
  const messages = await stage.wait('the event ServicingError', async () => {
    const told = await stage.parts.diary.messages(stage.key.name, 'ServicingError');
    return told.length > 0 ? told : undefined;
  });
  assert.ok(messages.some((message) => message.includes(failed.status?.errorMessage ?? '')));
  await stage.wantUpdates();
  await untilEnded(stage, begun, 'ServicingAborted');
}

/** Ironic breaks no update of firmware: it ends it, and does nothing more. Without it, nothing more is written. */
async function untilCancelled(stage: LiveStage, machineId: string): Promise<void> {
  const { install } = stage.parts;
  if (install === undefined) return;
  await stage.wait('the end of what was ordered', async () => {
    return (await install.isCancelled(machineId)) ? true : undefined;
  });
}

function machineIdOf(stage: LiveStage): string {
  return stage.latest()?.status?.provisioning?.ID ?? assert.fail('the host is gone');
}

/** Deletes the policy in the middle of an update. */
export async function forbidMeanwhile(stage: LiveStage): Promise<void> {
  const { machine } = stage.parts;
  const flashes = machine.flashes();
  const offer = machine.offer('held');
  const begun = await beginUpdate(stage, offer);
  await stage.policies.delete(stage.key);
  await stage.untilSince(begun.mark, 'it is given up', (host) => conditionOf(host, 'LiveUpdates') === 'True GivingUp');
  await untilCancelled(stage, machineIdOf(stage));
  offer.letGo();
  await untilEnded(stage, begun, 'ServicingAborted');
  if (stage.parts.ironic === undefined) assert.equal(machine.flashes(), flashes, 'what was given up was written');
  // Otherwise it would be this update that the host waits with for its next reboot.
  await stage.wantUpdates();
  await stage.allow();
  await stage.wait('nothing to change', async () => {
    return conditionOf(stage.latest(), 'LiveUpdates') === 'True NothingToChange' ? true : undefined;
  });
}

/** Deletes the host in the middle of an update. */
export async function deleteMeanwhile(stage: LiveStage): Promise<void> {
  const { machine } = stage.parts;
  const flashes = machine.flashes();
  const offer = machine.offer('held');
  const begun = await beginUpdate(stage, offer);
  const machineId = machineIdOf(stage);
  await stage.hosts.delete(stage.key);
  await stage.untilSince(begun.mark, 'another state', (host) => stateOf(host) !== 'provisioned');
  await untilCancelled(stage, machineId);
  offer.letGo();
  await stage.wait('its end', async () => (stage.latest() === undefined ? true : undefined));
  if (stage.parts.ironic === undefined) assert.equal(machine.flashes(), flashes, 'what was given up was written');
  assert.equal(await stage.node(), undefined);
  assert.equal(await machine.isPoweredOn(), false);
  await stage.untilTold('ServicingAborted', (begun.told.get('ServicingAborted') ?? 0) + 1);
}
