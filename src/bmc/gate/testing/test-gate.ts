import type { TestContext } from 'node:test';
import { type SmallBmc, type SmallBmcOptions, startSmallBmc } from '../../http/testing/small-bmc.ts';
import { createHurriedClock } from '../../testing/hurried-clock.ts';
import type { BmcEndpoint, GateLane, Gates, LeaseCheck } from '../gate.ts';
import { createGates, type GatesOptions } from '../gates.ts';

/** A gate in front of a small BMC. Sleeping takes no real time; deadlines pass when the test moves the clock. */
export interface TestGate {
  readonly bmc: SmallBmc;
  readonly gates: Gates;
  readonly lane: GateLane;
  readonly clock: ReturnType<typeof createHurriedClock>;
  readonly endpoint: BmcEndpoint;
  /** What the gate is told when it asks; a test may change it. */
  readonly credentials: { username: string; password: string };
}

/** What a test wants otherwise. */
export interface TestGateOptions extends SmallBmcOptions, Pick<GatesOptions, 'settings' | 'metrics' | 'logger'> {
  readonly password?: string;
  readonly trust?: BmcEndpoint['trust'];
  readonly authentication?: BmcEndpoint['authentication'];
  readonly checkLease?: LeaseCheck;
}

/** Opens a gate that is closed with the test. */
export async function openTestGate(t: TestContext, options: TestGateOptions = {}): Promise<TestGate> {
  const bmc = await startSmallBmc(options);
  const clock = createHurriedClock();
  const { settings, metrics, logger, authentication, checkLease } = options;
  const gates = createGates({
    clock,
    random: () => 0.5,
    ...(settings === undefined ? {} : { settings }),
    ...(metrics === undefined ? {} : { metrics }),
    ...(logger === undefined ? {} : { logger }),
  });
  const credentials = { username: 'admin', password: options.password ?? 'secret' };
  const endpoint: BmcEndpoint = {
    origin: bmc.origin,
    credentials: async () => ({ ...credentials }),
    trust: options.trust ?? { kind: 'system', allowsHttp: true },
    ...(authentication === undefined ? {} : { authentication }),
  };
  t.after(async () => {
    await bmc.close();
    await gates.close();
  });
  return {
    bmc,
    gates,
    clock,
    endpoint,
    credentials,
    lane: gates.open(endpoint, checkLease === undefined ? {} : { checkLease }),
  };
}
