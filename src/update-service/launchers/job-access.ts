import type { JobBmc, JobFile } from '../../jobs/index.ts';
import { traceparentHere } from '../../telemetry/index.ts';
import type { LaunchOrder } from './launcher.ts';

/** What launchers of jobs outside this process need to know to write job files. */
export interface JobFileParts {
  /** Where jobs find the update service, and how they check its certificate. */
  readonly updateService: JobFile['updateService'];
  /** The BMC of a job's server with its password; undefined for jobs that touch no server. */
  readonly bmcOf: (order: LaunchOrder) => Promise<JobBmc | undefined>;
  /** Where jobs send their spans; without it they make none. */
  readonly tracesEndpoint?: string | undefined;
}

/** What a job is launched with; it goes on with the trace that it is launched in. */
export async function jobFileOf(
  order: LaunchOrder,
  { updateService, bmcOf, tracesEndpoint }: JobFileParts,
  tls?: JobFile['tls'],
): Promise<JobFile> {
  const bmc = order.type === 'discovery' ? undefined : await bmcOf(order);
  return {
    jobId: order.jobId,
    token: order.token,
    updateService,
    ...(bmc === undefined ? {} : { bmc }),
    ...(tls === undefined ? {} : { tls }),
    ...(tracesEndpoint === undefined ? {} : { traces: tracesOf(tracesEndpoint) }),
  };
}

function tracesOf(endpoint: string): NonNullable<JobFile['traces']> {
  const parent = traceparentHere();
  return { endpoint, ...(parent === undefined ? {} : { parent }) };
}
