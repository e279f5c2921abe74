import { createGates, type TlsTrust } from '../../bmc/index.ts';
import { type BmcProbe, createBmcProbe } from '../../conditionorc/index.ts';
import { systemClock } from '../../kube/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { Settings } from '../settings.ts';
import type { Closing } from './closing.ts';
import { readTrust } from './start-flasher.ts';

/** The client of whoever enrols a server waits for the answer. */
const probeSettings = { connectMs: 5000, deadlineMs: 10_000, maxTries: 2 };

/** Opens what asks BMCs which machines they are in, when servers are enrolled. */
export function openProbe(
  settings: Settings<'bmcCa' | 'bmcInsecure' | 'bmcHttp'>,
  { logger, open }: { readonly logger: Logger; readonly open: Closing },
  trustOf?: (origin: string) => TlsTrust,
): BmcProbe {
  const trust = readTrust(settings);
  const gates = createGates({ clock: systemClock, logger, settings: probeSettings });
  open.add(() => gates.close());
  return createBmcProbe({ gates, trustOf: trustOf ?? (() => trust) });
}
