import type { BmcProblem, HostIdentity, HostSeen, Outcome, PowerOrder } from '../../provisioner.ts';
import { cuttingPower, shuttingDown, softOffLimitMs } from '../../soft-off-limit.ts';
import { isIronicError } from '../client/index.ts';
import { type IronicNode, isAbortable, isHeldByUs, isInUse, isPowerPlayed, isUnderWay } from '../node/index.ts';
import { askFor, busy, continueIn, done, findNode, type Workplace } from '../workplace.ts';

const softTimeoutSeconds = softOffLimitMs / 1000;

type PowerTarget = 'power on' | 'power off' | 'soft power off' | 'rebooting' | 'soft rebooting';

/** What to do about the power of a node. */
export type PowerMove =
  | { readonly do: 'finish' | 'wait' | 'abort' }
  | { readonly do: 'yield'; readonly message: string }
  | { readonly do: 'fail'; readonly message: string; readonly isInUse?: true }
  | { readonly do: 'switch'; readonly target: PowerTarget; readonly isDoneByThat: boolean };

/**
 * Decides by the state that the node is in, not by the one that it was on its way to: a node that failed still says
 * where it was going, and waits for nobody.
 */
export function decidePower(
  node: IronicNode,
  order: PowerOrder,
  host: Pick<HostIdentity, 'isPowerOffDisabled'>,
): PowerMove {
  const isReboot = order.target === 'reboot' || (order.target === 'off' && host.isPowerOffDisabled);
  const wanted = order.target === 'on' ? 'power on' : 'power off';
  const isThere = !isReboot && node.powerState === wanted && node.targetPowerState === undefined;
  // A ramdisk that is about to be booted makes an off that is seen now worth nothing.
  if (isThere && !isUnderWay(node.provisionState)) return { do: 'finish' };
  if (order.isOnlyIfUnused === true && isInUse(node.provisionState)) return leftOn(node);
  if (isUnderWay(node.provisionState)) {
    if (order.isForced && isAbortable(node.provisionState)) return { do: 'abort' };
    return { do: 'yield', message: `Ironic works on the node (${node.provisionState})` };
  }
  if (node.targetPowerState !== undefined) return { do: 'wait' };
  const error = powerErrorOf(node);
  const hasSoftFailed = error !== undefined && /by 'soft /.test(error);
  if (error !== undefined && !order.isRetry && !hasSoftFailed) return { do: 'fail', message: error };
  const isSoft = order.mode === 'soft' && !hasSoftFailed;
  if (isReboot) return { do: 'switch', target: isSoft ? 'soft rebooting' : 'rebooting', isDoneByThat: true };
  if (order.target === 'on') return { do: 'switch', target: 'power on', isDoneByThat: false };
  return { do: 'switch', target: isSoft ? 'soft power off' : 'power off', isDoneByThat: false };
}

function leftOn({ provisionState }: IronicNode): PowerMove {
  const message = `the node runs a system that was not deployed through this host (${provisionState}); it is left on`;
  return { do: 'fail', message, isInUse: true };
}

/** The last error, where it came from switching the power. Ironic forgets it when it is asked again. */
function powerErrorOf(node: IronicNode): string | undefined {
  return /^Failed to change power state|power action/i.test(node.lastError ?? '') ? node.lastError : undefined;
}

/** Switches the power of a host, or sees that it is being switched. */
export async function setPower(place: Workplace, order: PowerOrder): Promise<Outcome> {
  const node = await findNode(place);
  if (node === undefined) return { kind: 'unregistered' };
  if (isHeldByUs(node)) return busy(place, `the node is in maintenance: ${node.maintenanceReason}`);
  const move = decidePower(node, order, place.host);
  switch (move.do) {
    case 'finish':
      return done;
    case 'wait':
      return continueIn(place, 'short');
    case 'yield':
      return busy(place, move.message);
    case 'fail':
      return { kind: 'failed', message: move.message, ...(move.isInUse === true ? { isInUse: true } : {}) };
    case 'abort': {
      const isDeployment = node.provisionState === 'wait call-back';
      const canAbort = !isDeployment || (await place.client.features()).canAbortDeployment;
      await askFor(place, node, { target: canAbort ? 'abort' : 'deleted' });
      return continueIn(place, 'short');
    }
    case 'switch':
      await switchPower(place, node, move.target);
      return move.isDoneByThat ? done : continueIn(place, 'short', true);
  }
}

/**
 * Shuts the system of a host down before Ironic would cut its power, and cuts it when that takes too long. Undefined once
 * the host is off, and where nothing more can be done about it.
 */
export async function shutDown(place: Workplace, node: IronicNode): Promise<Outcome<never> | undefined> {
  if (node.powerState !== 'power on' || place.host.isPowerOffDisabled) return undefined;
  const order = { target: 'off', mode: 'soft', isForced: false, isRetry: false } as const;
  const move = decidePower(node, order, place.host);
  if (move.do === 'wait') {
    const isSoft = node.targetPowerState === 'soft power off';
    return { ...continueIn(place, 'short'), progress: isSoft ? shuttingDown : cuttingPower };
  }
  if (move.do !== 'switch') return undefined;
  await switchPower(place, node, move.target);
  const progress = move.target === 'soft power off' ? shuttingDown : cuttingPower;
  return { ...continueIn(place, 'short', true), progress };
}

const hardTarget: Readonly<Partial<Record<PowerTarget, PowerTarget>>> = {
  'soft power off': 'power off',
  'soft rebooting': 'rebooting',
};

/** A driver that cannot ask a system to shut down switches it off. */
async function switchPower(place: Workplace, node: IronicNode, target: PowerTarget): Promise<void> {
  const hard = hardTarget[target];
  const path = `/nodes/${node.uuid}/states/power`;
  const body = hard === undefined ? { target } : { target, timeout: softTimeoutSeconds };
  try {
    await place.client.call({ method: 'PUT', path, body });
  } catch (error) {
    if (hard === undefined || !isIronicError(error, 'refused') || !/support/.test(error.message)) throw error;
    await place.client.call({ method: 'PUT', path, body: { target: hard } });
  }
}

const powerStates: Readonly<Record<string, boolean>> = { 'power on': true, 'power off': false };
const healths = ['OK', 'Warning', 'Critical'] as const;

function powerFailureOf(node: IronicNode): BmcProblem {
  const why = node.lastError ?? node.maintenanceReason ?? 'it gives no reason';
  return {
    kind: isHeldByUs(node) ? 'expected' : 'lasting',
    message: `Ironic cannot read or switch its power: ${why}`,
  };
}

/** What Ironic knows of a host from outside. */
export async function lookAtHost(place: Workplace): Promise<Outcome<HostSeen>> {
  const node = await findNode(place);
  if (node === undefined) return { kind: 'unregistered' };
  const { canService, minor } = await place.client.features();
  return {
    kind: 'done',
    value: {
      isPoweredOn: isPowerPlayed(node) ? undefined : powerStates[node.powerState ?? ''],
      ...(isHeldByUs(node) ? { maintenance: node.maintenanceReason } : {}),
      ...(node.fault === 'power failure' ? { bmcProblem: powerFailureOf(node) } : {}),
      health: healths.find((each) => each.toLowerCase() === node.health?.toLowerCase()),
      ...(canService ? {} : { serviceProblem: `Ironic speaks API 1.${minor}, and live updates need 1.87; upgrade it` }),
    },
  };
}
