import { type HostBmcAddress, readBmcAddress } from '../../bmc-address/index.ts';
import type { Outcome, Registration } from '../../provisioner.ts';
import { withoutBmc } from '../../without-bmc.ts';
import { type IronicFeatures, isIronicError, objectOf, objectsOf, textOf } from '../client/index.ts';
import { deployInterfaceFor, networkDataOf } from '../deployment/index.ts';
import {
  finish,
  type Move,
  type MoveTable,
  moveOn,
  type Operation,
  rows,
  waitShortly,
  whyFailed,
} from '../moves/index.ts';
import {
  changesOf,
  handover,
  hasAccess,
  heldStates,
  type IronicNode,
  isHandedOver,
  isLeftOver,
  isUnderWay,
  objectionToNode,
  type PatchStep,
  readNode,
  restingStates,
  type Wanted,
  waitingStates,
  workingStates,
} from '../node/index.ts';
import { askFor, busy, continueIn, endMaintenance, patchNode, readNodeOf, type Workplace } from '../workplace.ts';
import { type FoundNode, findForRegistration, isAtAddress, macConflict } from './find-for-registration.ts';
import { type NodeSettings, nodeSettings } from './node-settings.ts';

interface Registered {
  readonly id: string;
}

/** What the states mean to registering: a node that left `enroll` once has shown that its BMC can be reached. */
const table: MoveTable<Registration> = {
  ...rows([...workingStates, ...waitingStates, ...heldStates, ...restingStates], finish),
  verifying: waitShortly,
  enroll: ({ node, order }): Move => {
    if (node.targetProvisionState !== undefined) return waitShortly();
    const isNew = order.isRetry || order.haveCredentialsChanged || node.lastError === undefined;
    return isNew ? { do: 'ask', target: 'manage', isStart: true } : { do: 'fail', message: whyFailed(node) };
  },
};

/** States of a node that nothing is deployed on and nothing works on, so that all of it may be changed. */
const unusedStates = ['enroll', 'manageable', 'available'];

/** The rows of registering, and what its end tells. */
export const registering: Operation<Registration, never, Registered> = {
  table,
  specials: (place) => ({
    finish: async ({ node, order }) => {
      const isImageMissing = place.settings.needsBootImage && order.bootImage === undefined;
      const isImageNeeded = isImageMissing && order.isBootImageSpared !== true;
      if (isImageNeeded && unusedStates.includes(node.provisionState)) return { kind: 'needs-image' };
      return { kind: 'done', value: { id: node.uuid } };
    },
  }),
};

/** Makes the host known to Ironic as it is wanted, and sees that its BMC can be reached. */
export async function registerHost(place: Workplace, order: Registration): Promise<Outcome<Registered>> {
  const { bmc } = place.host;
  if (bmc === undefined) return withoutBmc('a host cannot be registered');
  const reading = readBmcAddress(bmc.address);
  if (reading.kind !== 'known') return { kind: 'failed', message: reading.message };
  const { address } = reading;
  const features = await place.client.features();
  const objection = objectionTo(place, order, { address, features });
  if (objection !== undefined) return { kind: 'failed', message: objection };
  const network = networkDataOf(order.bootNetworkData);
  if (network.kind === 'invalid') return { kind: 'failed', message: network.message };
  const found = await findForRegistration(place, address);
  if (found.kind === 'conflict') return { kind: 'failed', message: found.message };
  const compared = await compare(place, order, { address, found });
  if (compared !== undefined) return compared;
  // A new node is not in maintenance: Ironic would switch a machine that others are at work on.
  if (found.kind === 'none' && order.isMachineTaken === true) return busy(place, 'others work on the machine');
  const facts = { address, bmc, features, network };
  if (found.kind === 'none') return enrol(place, nodeSettings(place, order, { ...facts, seen: {} }));
  // Nobody else would end it: whoever registers a host wants it known after all.
  if (isLeftOver(found.node) || isHandedOver(found.node)) await endMaintenance(place, found.node);
  const seen = objectOf(found.node.raw.properties);
  const settings = nodeSettings(place, order, { ...facts, seen, node: found.node });
  const node = await update(place, order, { node: found.node, settings });
  const conflict = await ensurePort(place, node);
  if (conflict !== undefined) return conflict;
  // Whatever went wrong before the node had this driver says nothing of the credentials.
  const isNew = node.raw.driver !== found.node.raw.driver;
  const tried = isNew ? { ...order, haveCredentialsChanged: true } : order;
  if (isAccessUnsure(node, tried)) await tryAccess(place, node);
  return moveOn(place, registering, { node, order: tried });
}

/** Credentials of another machine's BMC work too: whoever was discovered is not given them. Undefined where all is well. */
async function compare(
  place: Workplace,
  order: Registration,
  { address, found }: { readonly address: HostBmcAddress; readonly found: FoundNode },
): Promise<Outcome<never> | undefined> {
  const isKnown = found.kind === 'found' && isAtAddress(found.node, address);
  const isNew = order.haveCredentialsChanged || order.isRetry || !isKnown;
  if (order.isDiscovered !== true || !isNew) return undefined;
  const outcome = await place.compareBmc?.(place.host);
  return outcome === undefined || outcome.kind === 'done' ? undefined : outcome;
}

/** Ironic itself tries credentials only on the way out of `enroll`; later it takes whatever it is given. */
function isAccessUnsure({ provisionState }: IronicNode, order: Registration): boolean {
  if (!order.haveCredentialsChanged && !order.isRetry) return false;
  return provisionState !== 'enroll' && !isUnderWay(provisionState);
}

/** Lets Ironic read something of the BMC; throws where it cannot. A driver that has nothing to read is believed. */
async function tryAccess({ client }: Workplace, { uuid }: IronicNode): Promise<void> {
  try {
    await client.call({ method: 'GET', path: `/nodes/${uuid}/management/boot_device` });
  } catch (error) {
    if (!isIronicError(error, 'refused')) throw error;
  }
}

function objectionTo(
  { host }: Workplace,
  order: Registration,
  facts: { readonly address: HostBmcAddress; readonly features: IronicFeatures },
): string | undefined {
  const { address, features } = facts;
  if (order.bootMode === 'UEFISecureBoot' && !address.canSecureBoot) {
    return `BMC driver ${address.scheme} does not support secure boot; use another bootMode`;
  }
  if (address.needsMac && host.bootMacAddress === undefined) {
    return `BMC driver ${address.scheme} requires a BootMACAddress value`;
  }
  // Once it is off it may take a journey to switch such a host on again.
  if (host.isPowerOffDisabled && !features.canDisablePowerOff) {
    return 'this Ironic cannot promise to leave a host on (API 1.95 is needed), so a host with disablePowerOff is not managed; upgrade Ironic';
  }
  return undefined;
}

async function enrol(place: Workplace, settings: NodeSettings): Promise<Outcome<Registered>> {
  const { name, ...always } = settings.always;
  const body = {
    name,
    ...always,
    ...settings.whileUnused,
    driver_info: given(settings.driverInfo),
    properties: given(settings.properties),
  };
  const node = readNode(await place.client.call({ method: 'POST', path: '/nodes', body }));
  const conflict = await ensurePort(place, node);
  if (conflict !== undefined) return conflict;
  await askFor(place, node, { target: 'manage' });
  return continueIn(place, 'short', true);
}

function given(wanted: Wanted): Wanted {
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
}

/** Changes what differs, as far as the state of the node lets us. */
async function update(
  place: Workplace,
  order: Registration,
  facts: { readonly node: IronicNode; readonly settings: NodeSettings },
): Promise<IronicNode> {
  const { node, settings } = facts;
  const isUnderWayNow = isUnderWay(node.provisionState);
  // Ironic refuses most changes while it works. New credentials must not be forgotten by that: then we come again.
  if (isUnderWayNow && !order.haveCredentialsChanged) return node;
  const isUnused = unusedStates.includes(node.provisionState);
  const steps = [
    ...driverInfoChanges(node, { wanted: settings.driverInfo, isForced: order.haveCredentialsChanged }),
    ...(isUnderWayNow ? [] : changesOf({ path: '', seen: node.raw, wanted: settings.always })),
    ...(isUnused ? changesOf({ path: '', seen: node.raw, wanted: settings.whileUnused }) : []),
    ...(isUnused
      ? changesOf({ path: '/properties', seen: objectOf(node.raw.properties), wanted: settings.properties })
      : []),
  ];
  if (!isUnused && !isUnderWayNow && !hasAccess(node)) return handOver(place, { node, settings, steps });
  const resetsInterfaces = steps.some(({ path }) => path === '/driver');
  return patchNode(place, node, { steps, resetsInterfaces });
}

/** Gives a node that something runs on a driver that reaches its BMC; the machine notices nothing of that. */
async function handOver(
  place: Workplace,
  facts: { readonly node: IronicNode; readonly settings: NodeSettings; readonly steps: readonly PatchStep[] },
): Promise<IronicNode> {
  const { node, settings } = facts;
  // What runs there was deployed by that interface, and is taken off by it.
  const wanted = {
    ...settings.whileUnused,
    deploy_interface: deployInterfaceFor(undefined, node.raw.deploy_interface),
  };
  const steps = [...facts.steps, ...changesOf({ path: '', seen: {}, wanted })];
  const path = `/nodes/${node.uuid}/maintenance`;
  const isHeld = node.isInMaintenance && !isHandedOver(node) && !isLeftOver(node);
  if (!isHeld) await place.client.call({ method: 'PUT', path, body: { reason: handover } });
  const changed = await patchNode(place, node, { steps, resetsInterfaces: true });
  if (!isHeld) await endMaintenance(place, node);
  return changed;
}

/** Ironic shows stars for passwords: they are only sent anew when told that they changed, or with a new address. */
function driverInfoChanges(
  node: IronicNode,
  change: { readonly wanted: Wanted; readonly isForced: boolean },
): readonly PatchStep[] {
  const seen = objectOf(node.raw.driver_info);
  const isSecret = (name: string): boolean => name.endsWith('_password');
  const open = Object.fromEntries(Object.entries(change.wanted).filter(([name]) => !isSecret(name)));
  const isBmcTheSame = changesOf({ path: '', seen, wanted: open }).every(({ path }) =>
    /^\/(deploy|kernel)_/.test(path),
  );
  const wanted = { ...leftovers(seen, change.wanted), ...change.wanted };
  const all = changesOf({ path: '/driver_info', seen, wanted });
  return change.isForced || !isBmcTheSame ? all : all.filter(({ path }) => !isSecret(path));
}

/** What an earlier address of the host left there. */
function leftovers(seen: ReturnType<typeof objectOf>, wanted: Wanted): Wanted {
  const isIpmi = 'ipmi_address' in wanted;
  const other = isIpmi ? 'redfish_' : 'ipmi_';
  const stale = Object.keys(seen).filter((name) => name.startsWith(other));
  const system = isIpmi ? {} : { redfish_system_id: undefined };
  // A certificate that the operator named by hand stays; our own `false` goes when it is to be checked again.
  const checks = seen.redfish_verify_ca === false ? { redfish_verify_ca: undefined } : {};
  return { ...Object.fromEntries(stale.map((name) => [name, undefined])), ...system, ...checks };
}

/**
 * Sees that a new node has a port with the boot address, where we know that; tells whose it is where it is another's.
 * A machine that came by itself just then has brought its own node with all that it told: ours, which knows nothing yet,
 * makes way for it.
 */
async function ensurePort(place: Workplace, node: IronicNode): Promise<Outcome<never> | undefined> {
  const mac = place.host.bootMacAddress?.toLowerCase();
  // Later its ports are those that inspection found.
  if (mac === undefined || node.provisionState !== 'enroll') return undefined;
  const path = `/ports?address=${encodeURIComponent(mac)}&fields=uuid,node_uuid`;
  const [port] = objectsOf((await place.client.call({ method: 'GET', path })).ports);
  const owner = textOf(port?.node_uuid);
  if (owner === node.uuid) return undefined;
  if (owner === undefined) {
    const body = { node_uuid: node.uuid, address: mac, pxe_enabled: true };
    await place.client.call({ method: 'POST', path: '/ports', body });
    return undefined;
  }
  const other = await readNodeOf(place, owner);
  if (other === undefined) return continueIn(place, 'short');
  if (objectionToNode(place.host, other) !== undefined) {
    return { kind: 'failed', message: macConflict(mac, other.name ?? owner) };
  }
  await place.client.call({ method: 'DELETE', path: `/nodes/${node.uuid}` });
  return continueIn(place, 'short');
}
