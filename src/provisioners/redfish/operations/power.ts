import {
  type Bmc,
  findRunningUpdate,
  isBmcError,
  type PowerWish,
  readPower,
  setBootOverride,
  setPower,
} from '../../../bmc/index.ts';
import type { HostSeen, Outcome, PowerOrder } from '../../provisioner.ts';
import { busy, done, goesOn, type Workplace, withFreeRecord, withRecord } from '../workplace.ts';

/** How long a system may take to shut down before it is switched off. */
const graceMs = 180_000;

const states: Readonly<Record<string, boolean>> = { on: true, off: false };

/** What a BMC says of its host from outside; one that does not answer is a power failure, as with others. */
export function lookAtHost(place: Workplace): Promise<Outcome<HostSeen>> {
  return withRecord<HostSeen>(place, async () => {
    const reached = place.reach();
    if (reached.kind !== 'bmc') return { kind: 'done', value: { hasPowerFailure: true } };
    try {
      const { state } = await readPower(reached.bmc);
      return { kind: 'done', value: { isPoweredOn: states[state], hasPowerFailure: false } };
    } catch (error) {
      if (!isBmcError(error)) throw error;
      return { kind: 'done', value: { hasPowerFailure: true } };
    }
  });
}

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
    const writing = target === 'on' || order.isForced ? undefined : await whileUpdating(place, reached.bmc);
    if (writing !== undefined) return writing;
    const isGraceful = order.mode === 'soft';
    beginPower(place, name, { target, isGraceful, gracePeriodMs: graceMs });
    return isReboot ? done : goesOn(place, true);
  });
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
    const writing = isOn ? await whileUpdating(place, reached.bmc) : undefined;
    if (writing !== undefined) return writing;
    await setBootOverride(reached.bmc, { enabled: 'Once', target: 'Pxe' });
    beginPower(place, networkBoot, { target: isOn ? 'reset' : 'on' });
    return goesOn(place, true);
  });
}

/** A host that loses its power while its BMC writes to it may be lost with it, whoever asked for the update. */
async function whileUpdating(place: Workplace, bmc: Bmc): Promise<Outcome<never> | undefined> {
  const update = await findRunningUpdate(bmc);
  return update && busy(place, `the BMC is at an update, which is let end first: ${update.message}`);
}

const networkBoot = 'boot from the network';

/** Begins to switch the power. */
export function beginPower(place: Workplace, name: string, wish: PowerWish): void {
  const reached = place.reach();
  if (reached.kind !== 'bmc') return;
  place.background.begin(keyOf(place), name, () => setPower(reached.bmc, wish));
}

/** The name of a host among others. */
export function keyOf({ host }: Workplace): string {
  return `${host.namespace}/${host.name}`;
}
