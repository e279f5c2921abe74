import { createGates, type Gates } from '../../bmc/index.ts';
import type { Egress } from '../../egress/index.ts';
import { type ArtifactCache, createArtifactCache } from '../../firmware-store/index.ts';
import {
  createFlasherMetrics,
  defaultInstallSettings,
  type Firmware,
  type InstallSettings,
  type InventorySink,
  type ServerDirectory,
} from '../../flasher/index.ts';
import type { Clock, Random } from '../../kube/index.ts';
import { type Logger, type Metrics, noMetrics } from '../../telemetry/index.ts';
import type { JobBmc } from '../job-file.ts';
import type { StrategyTools } from '../strategies/strategy.ts';

/** What the tools of a job are made of. */
export interface JobToolsParts {
  readonly bmc: JobBmc | undefined;
  readonly sink: InventorySink;
  readonly images: {
    readonly folder: string;
    readonly maxBytes: number;
    readonly fileFolders?: readonly string[] | undefined;
    readonly areUnverifiedAllowed?: boolean | undefined;
    readonly egress?: Egress | undefined;
  };
  readonly settings?: Partial<InstallSettings> | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics?: Metrics | undefined;
}

/** The tools of one job, until they are closed. */
export interface OpenedTools {
  readonly tools: StrategyTools;
  /** Logs out of the BMC and lets go of images. */
  close(): Promise<void>;
}

/** Opens what strategies work with. */
export async function openJobTools(parts: JobToolsParts): Promise<OpenedTools> {
  const { clock, random, logger, metrics = noMetrics } = parts;
  const { fileFolders, egress, areUnverifiedAllowed = false, ...images } = parts.images;
  const artifacts: ArtifactCache = await createArtifactCache({
    ...images,
    clock,
    random,
    logger,
    areUnverifiedAllowed,
    ...(fileFolders === undefined ? {} : { fileFolders }),
    ...(egress === undefined ? {} : { egress }),
  });
  const gates: Gates = createGates({ clock, random, logger, metrics });
  return {
    tools: {
      gates,
      artifacts,
      clock,
      random,
      logger,
      servers: directoryOf(parts.bmc),
      // What is to be installed is frozen in the parameters when it is asked for.
      catalogue: { readSet: async () => undefined },
      imageAddress: publishedAddress,
      inventorySink: parts.sink,
      metrics: createFlasherMetrics(metrics),
      settings: { ...defaultInstallSettings, ...parts.settings },
    },
    async close() {
      await gates.close();
      await artifacts.close();
    },
  };
}

/** A job knows one server. */
export function directoryOf(bmc: JobBmc | undefined): ServerDirectory {
  if (bmc === undefined) return { find: async () => undefined };
  const { origin, username, password, trust, authentication, systemPath, machine, serviceUuid } = bmc;
  const endpoint = {
    origin,
    trust,
    serviceUuid,
    credentials: async () => ({ username, password }),
    ...(authentication === undefined ? {} : { authentication }),
  };
  const access = {
    endpoint,
    ...(systemPath === undefined ? {} : { systemPath }),
    ...(machine === undefined ? {} : { machine }),
  };
  return { find: async (target) => (target === bmc.target ? access : undefined) };
}

/** BMCs are told only addresses that need no credentials: what they are told they keep, and show. */
function publishedAddress({ url }: Firmware): { readonly uri: string } | undefined {
  const { protocol, username, password } = new URL(url);
  const isServed = protocol === 'https:' || protocol === 'http:';
  return isServed && username === '' && password === '' ? { uri: url } : undefined;
}
