import type { EgressRules } from '../../egress/index.ts';
import type { JobBmc, JobFile } from '../../jobs/index.ts';
import { traceparentHere } from '../../telemetry/index.ts';
import type { LaunchOrder } from './launcher.ts';

/** What launchers of jobs outside this process need to know to write job files. */
export interface JobFileParts {
  /** Where jobs find the update service, and how they check its certificate. */
  readonly updateService: JobFile['updateService'];
  /** The BMC of a job's server with its password; undefined for jobs that touch no server. */
  readonly bmcOf: (order: LaunchOrder) => Promise<JobBmc | undefined>;
  /** Where discoveries keep the images that they find; without it these stay at their vendors. */
  readonly store?: JobFile['store'];
  /** Take firmware that comes without a checksum. False unless given. */
  readonly areUnverifiedAllowed?: boolean | undefined;
  /** What they may fetch images and catalogues from. */
  readonly egress?: EgressRules | undefined;
  /** How patient jobs on servers are. */
  readonly patience?: JobFile['patience'];
  /** Where jobs send their spans; without it they make none. */
  readonly tracesEndpoint?: string | undefined;
}

/** What a job is launched with; it goes on with the trace that it is launched in. */
export async function jobFileOf(
  order: LaunchOrder,
  { updateService, bmcOf, store, areUnverifiedAllowed, egress, patience, tracesEndpoint }: JobFileParts,
  tls?: JobFile['tls'],
): Promise<JobFile> {
  const isDiscovery = order.type === 'discovery';
  const bmc = isDiscovery ? undefined : await bmcOf(order);
  return {
    jobId: order.jobId,
    token: order.token,
    updateService,
    ...(bmc === undefined ? {} : { bmc }),
    // Only who keeps images gets the key to where they are.
    ...(isDiscovery && store !== undefined ? { store } : {}),
    ...(isDiscovery || patience === undefined ? {} : { patience }),
    ...(areUnverifiedAllowed === true ? { areUnverifiedAllowed } : {}),
    ...(egress === undefined ? {} : { egress: toFile(egress) }),
    ...(tls === undefined ? {} : { tls }),
    ...(tracesEndpoint === undefined ? {} : { traces: tracesOf(tracesEndpoint) }),
  };
}

function toFile({ schemes, hosts }: EgressRules): NonNullable<JobFile['egress']> {
  return {
    ...(schemes === undefined ? {} : { schemes: [...schemes] }),
    ...(hosts === undefined ? {} : { hosts: [...hosts] }),
  };
}

function tracesOf(endpoint: string): NonNullable<JobFile['traces']> {
  const parent = traceparentHere();
  return { endpoint, ...(parent === undefined ? {} : { parent }) };
}
