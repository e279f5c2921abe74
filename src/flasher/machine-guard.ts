import {
  type Bmc,
  type BmcIdentity,
  findOtherMachine,
  type GateLane,
  type GateRequest,
  isBmcError,
  type KnownMachine,
  readBmcIdentity,
  systemIdentityOf,
  systemOf,
} from '../bmc/index.ts';
import { withRequest } from './change-lane.ts';
import { FlasherError } from './errors.ts';

/** Keeps work from a machine that took the place of the one that it is for. */
export interface MachineGuard {
  /**
   * Throws `otherMachine` before a request would reach another machine, what `identify` throws, and what the BMC throws
   * when it is asked.
   */
  admit(request: Pick<GateRequest, 'method' | 'isPublic'>): Promise<void>;
}

/** How old the last look may be for something to be written. */
const freshMs = 5000;

/**
 * Looks which machine it is before the first request of all, so that nobody goes on with what an earlier holder began
 * elsewhere, and again before each that writes: an install takes hours, in which an address may get another owner. What
 * the BMC says of itself is handed on before the first request, and again when it says something else.
 */
export function createMachineGuard(about: {
  readonly known: KnownMachine;
  readonly target: string;
  /** Past the guard. */
  readonly bmc: Bmc;
  /** Takes what the BMC says of itself; throws where work behind the same BMC has to end first. */
  identify(identity: BmcIdentity): Promise<void>;
}): MachineGuard {
  const { known, target, bmc, identify } = about;
  let identified: string | undefined;
  let lookedAt: number | undefined;
  let refusal: FlasherError | undefined;
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    const system = await systemOf(bmc).catch(doesNotSay);
    const other = system === undefined ? undefined : await findOtherMachine(bmc, known, system);
    if (other !== undefined) {
      const { origin } = bmc.gate;
      refusal = new FlasherError('otherMachine', { origin, target, known: other.known, found: other.found });
    } else {
      const now = JSON.stringify(system === undefined ? {} : systemIdentityOf(system));
      if (now !== identified) await identify(await readBmcIdentity(bmc, system));
      identified = now;
    }
    lookedAt = bmc.clock.monotonic();
  };
  return {
    async admit({ method, isPublic = false }) {
      // The root says nothing of the machine and needs no log-in.
      if (isPublic) return;
      const isRead = method === 'GET';
      const isDue = lookedAt === undefined || (!isRead && bmc.clock.monotonic() - lookedAt > freshMs);
      if (refusal === undefined && isDue) {
        looking ??= look().finally(() => {
          looking = undefined;
        });
        await looking.catch((error: unknown) => {
          // A BMC that starts may not show its system yet. Reading on does no harm, and it is looked again.
          if (!isRead || !isBmcError(error, 'notFound')) throw error;
        });
      }
      if (refusal !== undefined) throw refusal;
    },
  };
}

/** A BMC of several systems, of which none is named, does not say which machine is meant. */
function doesNotSay(error: unknown): undefined {
  if (!isBmcError(error, 'unsupported')) throw error;
  return undefined;
}

/** A lane with a guard before it. */
export function guardLane(lane: GateLane, guard: MachineGuard): GateLane {
  return withRequest(lane, async (request) => {
    await guard.admit(request);
    return await lane.request(request);
  });
}
