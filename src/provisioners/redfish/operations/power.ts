import {
  type Bmc,
  findRunningUpdate,
  findUpdateWithHostOff,
  type PowerWish,
  type RunningUpdate,
  readPower,
  setBootOverride,
  setPower,
} from '../../../bmc/index.ts';
import type { Outcome, PowerOrder } from '../../provisioner.ts';
import { softOffLimitMs } from '../../soft-off-limit.ts';
import { goOnWaiting, type UpdateWait } from '../update-waits.ts';
import { busy, changeRecord, done, goesOn, type Workplace, withFreeRecord } from '../workplace.ts';

/** Switches the power of a host, which goes on after the call; whether it is there is asked of the BMC. */
export function switchPower(place: Workplace, order: PowerOrder): Promise<Outcome> {
  return withFreeRecord(place, async () => {
    const isReboot = order.target === 'reboot' || (order.target === 'off' && place.host.isPowerOffDisabled);
    const target = isReboot ? 'reset' : order.target === 'on' ? 'on' : 'off';
    const reached = place.reach();
    if (reached.kind !== 'bmc') return reached;
    if (!isReboot && (await readPower(reached.bmc)).state === target) return done;
    const name = `power ${target} ${order.mode}`;
    const begun = place.background.look(keyOf(place), name);
    if (begun.kind === 'failed' && !order.isRetry) return { kind: 'failed', message: begun.message };
    if (begun.kind === 'going') return isReboot ? done : goesOn(place);
    const writing = await guard(order)?.(place, reached.bmc, updateThatMinds(target === 'on'));
    if (writing !== undefined) return writing;
    const isGraceful = order.mode === 'soft';
    beginPower(place, name, { target, isGraceful, gracePeriodMs: softOffLimitMs });
    return isReboot ? done : goesOn(place, true);
  });
}

/** Finds an update that would be disturbed. */
type FindUpdate = (bmc: Bmc) => Promise<RunningUpdate | undefined>;

/** Who is switched on disturbs fewer updates than who loses its power. */
export function updateThatMinds(isSwitchedOn: boolean): FindUpdate {
  return isSwitchedOn ? findUpdateWithHostOff : findRunningUpdate;
}

/** How an update that the BMC is at is waited for before the power goes; undefined where it is not. */
function guard({ isForced, isUpdateSpared }: PowerOrder): typeof whileUpdating | undefined {
  if (isUpdateSpared === true) return letUpdateEnd;
  return isForced ? undefined : whileUpdating;
}

/** Restarts a host, or starts it, from the network; done once it was. */
export function bootFromNetwork(place: Workplace): Promise<Outcome> {
  return withFreeRecord(place, async () => {
    const reached = place.reach();
    if (reached.kind !== 'bmc') return reached;
    const begun = place.background.look(keyOf(place), networkBoot);
    if (begun.kind === 'going') return goesOn(place);
    if (begun.kind === 'failed') return { kind: 'failed', message: begun.message };
    if (begun.kind === 'done') return done;
    const isOn = (await readPower(reached.bmc)).state === 'on';
    const writing = await whileUpdating(place, reached.bmc, updateThatMinds(!isOn));
    if (writing !== undefined) return writing;
    await setBootOverride(reached.bmc, { enabled: 'Once', target: 'Pxe' });
    beginPower(place, networkBoot, { target: isOn ? 'reset' : 'on' });
    return goesOn(place, true);
  });
}

/** A host whose power changes while its BMC writes to it may be lost with it, whoever asked for the update. */
async function whileUpdating(place: Workplace, bmc: Bmc, find: FindUpdate): Promise<Outcome<never> | undefined> {
  const update = await find(bmc);
  return update && busyUpdating(place, update);
}

function busyUpdating(place: Workplace, { message }: RunningUpdate): Outcome<never> {
  return { ...busy(place, `the BMC is at an update, which is let end first: ${message}`), isUpdating: true };
}

/** The same for what nobody can force; an update that does not end is a failure, so that somebody gets to know. */
export async function letUpdateEnd(
  place: Workplace,
  bmc: Bmc,
  find: FindUpdate = findRunningUpdate,
): Promise<Outcome<never> | undefined> {
  const { parts } = place;
  const update = await find(bmc);
  const before = (await parts.records.read(place.host))?.updateWait;
  if (update === undefined) {
    if (before !== undefined) await keepWait(place, undefined);
    return undefined;
  }
  const now = parts.clock.now();
  const wait = goOnWaiting(before, now);
  if (wait !== before) await keepWait(place, wait);
  if (now - wait.since < parts.updateWaitMs) return busyUpdating(place, update);
  const minutes = Math.round(parts.updateWaitMs / 60_000);
  const message = `the BMC has been at an update for ${minutes} minutes, and the power of the host was left alone (${update.message}): look at the BMC, let it end or end it there`;
  return { kind: 'failed', message };
}

function keepWait(place: Workplace, wait: UpdateWait | undefined): Promise<void> {
  return changeRecord(place, ({ updateWait: _, ...record }) =>
    wait === undefined ? record : { ...record, updateWait: wait },
  );
}

const networkBoot = 'boot from the network';

/** Begins to switch the power. */
export function beginPower(place: Workplace, name: string, wish: PowerWish): void {
  const reached = place.reach();
  if (reached.kind !== 'bmc') return;
  place.background.begin(keyOf(place), name, (signal) => setPower(reached.bmc, { ...wish, signal }));
}

/** The name of a host among others. */
export function keyOf({ host }: Workplace): string {
  return `${host.namespace}/${host.name}`;
}
