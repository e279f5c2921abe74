import type { Attempt, Deployment, HostConfig, Outcome } from '../../provisioner.ts';
import { type MachineRecord, withoutAgent } from '../records/machine-record.ts';
import { imageOrderOf } from './image-order.ts';
import { startAgent } from './start-agent.ts';
import { imageMarkOf } from './without-secrets.ts';
import {
  done,
  fails,
  failureOf,
  give,
  goesOn,
  layOut,
  markOf,
  type Order,
  partWithAgent,
  runsAnother,
  settle,
  type Workplace,
  waits,
  withFreeMachine,
} from './workplace.ts';

/** Has its agent write an image to a host, and then restart it into that. */
export function provisionHost(
  place: Workplace,
  order: Attempt & { readonly deployment: Deployment; readonly config: HostConfig },
): Promise<Outcome> {
  return withFreeMachine(place, async (machine) => {
    const image = imageMarkOf(order.deployment.image?.url ?? '');
    if (machine.use === 'deployed') return machine.image === image ? done : runsAnother(machine);
    const told = imageOrderOf(place, machine, order);
    if (told.kind === 'refused') return fails(told.message);
    const write: Order = {
      ...{ kind: 'provision', stage: 'write', mark: markOf(told.params) },
      ...{ name: 'standby.prepare_image', params: told.params },
    };
    const restart: Order = { ...write, stage: 'restart', name: 'standby.run_image', params: {} };
    if (machine.work?.kind === 'deprovision') return waits(place, 'it is being given back');
    return takeStep(place, { machine, write, restart, image, isRetry: order.isRetry });
  });
}

interface Step {
  readonly machine: MachineRecord;
  readonly write: Order;
  readonly restart: Order;
  readonly image: string;
  readonly isRetry: boolean;
}

async function takeStep(place: Workplace, { machine, write, restart, image, isRetry }: Step): Promise<Outcome> {
  const { work } = machine;
  if (hasLeft(place, machine)) {
    if (isSurelyGone(place, machine)) return runs(place, machine, image);
    layOut(place, machine, restart.params);
    return goesOn(place);
  }
  const failure = failureOf(place, machine);
  if (failure !== undefined && !isRetry) return fails(failure);
  const isOther = work?.stage === 'write' && work.mark !== write.mark;
  if (work === undefined || failure !== undefined || isOther) {
    await give(place, machine, write);
    return goesOn(place, true);
  }
  if (work.command.end === undefined) {
    layOut(place, machine, work.stage === 'write' ? write.params : restart.params);
    const starting = work.command.isTold === true ? undefined : await startAgent(place, machine);
    return starting ?? goesOn(place);
  }
  if (work.stage === 'write') {
    await give(place, machine, restart);
    return goesOn(place);
  }
  return runs(place, machine, image);
}

/** All is written, and nobody has told that it restarts, nor anything else lately. */
function hasLeft({ parts }: Workplace, machine: MachineRecord): boolean {
  const { work } = machine;
  return work?.stage === 'restart' && work.command.end === undefined && !parts.hearing.isHeard(machine);
}

/** Then it restarted by itself, and from its disk: an agent would have asked for work. */
function isSurelyGone({ parts }: Workplace, machine: MachineRecord): boolean {
  const givenMs = parts.clock.now() - (machine.work?.command.givenAtMs ?? 0);
  return givenMs >= parts.times.silenceMs && parts.hearing.isSilent(machine);
}

async function runs(place: Workplace, machine: MachineRecord, image: string): Promise<Outcome> {
  // From here on somebody else's system runs there, which may read what the agent kept: its token is good for nothing.
  await settle(place, machine, (now) => ({ ...withoutAgent(now), use: 'deployed', image }));
  partWithAgent(place, machine.id);
  return done;
}
