import type { Engine, MachineRecord } from '../../engine/index.ts';
import { outsideKindNames } from '../../flasher/index.ts';
import { OrcError } from '../errors.ts';

/** What is needed to tell whether a kind is served. */
export interface ServedDesk {
  readonly engine: Pick<Engine, 'controllers' | 'kinds'>;
  /** True where hosts start an agent when they are asked to: then a worker need not be there beforehand. */
  readonly areAgentsPromised: boolean;
}

/** True for kinds that are done by agents on hosts or by other workers outside. */
export function isOutsideKind(kind: string): boolean {
  return outsideKindNames.includes(kind.toLowerCase());
}

/** Whether somebody does this kind for servers of this facility. */
export async function isServed(desk: ServedDesk, machine: MachineRecord, kind: string): Promise<boolean> {
  const name = kind.toLowerCase();
  if (!desk.engine.kinds.some((one) => one.kind.toLowerCase() === name)) return false;
  if (desk.areAgentsPromised && /inband$/.test(name)) return true;
  const controllers = await desk.engine.controllers();
  return controllers.some(
    (one) =>
      one.isOnline &&
      one.facilities.includes(machine.facility) &&
      one.kinds.some((able) => able.toLowerCase() === name),
  );
}

/** Refuses what would wait for a worker that nobody runs. */
export async function requireServed(desk: ServedDesk, machine: MachineRecord, kind: string): Promise<void> {
  if (!isOutsideKind(kind) || (await isServed(desk, machine, kind))) return;
  throw new OrcError('noWorker', { kind, facility: machine.facility });
}
