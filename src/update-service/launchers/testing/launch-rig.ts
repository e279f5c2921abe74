import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import {
  createFakeUpdateService,
  type FakeUpdateService,
  type JobFile,
  type JobWork,
  type KeptJob,
} from '../../../jobs/index.ts';
import type { LaunchOrder } from '../launcher.ts';

/** For tests: an update service on a port of this machine, whose jobs do what they are told. */
export interface LaunchRig {
  readonly service: FakeUpdateService;
  readonly updateService: JobFile['updateService'];
  /** A job that waits to be taken, and the order to launch it. */
  order(
    does: 'succeed' | 'wait' | 'hang' | 'die' | 'flash',
    id?: string,
    more?: JobWork['parameters'],
  ): { readonly job: KeptJob; readonly order: LaunchOrder };
  /** Resolves once the job reported that it is at work. */
  atWork(job: KeptJob): Promise<void>;
  /** Resolves once something is true; looked at with each call of a job and every moment. */
  until(what: () => boolean | Promise<boolean>): Promise<void>;
}

/** For tests: starts the rig; it ends with its test. */
export async function startLaunchRig(context: TestContext): Promise<LaunchRig> {
  const service = createFakeUpdateService();
  let leases = 0;
  const server = createServer(connectNodeAdapter({ routes: service.routes }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => sessions.add(session));
  context.after(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const until = async (what: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await what())) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  return {
    service,
    updateService: { url: `http://127.0.0.1:${port}` },
    order(does, id = 'job-1', more = {}) {
      const work: JobWork = {
        kind: 'firmwareInstall',
        target: 'server/1',
        parameters: { does, ...more },
        strategy: { name: 'tested' },
      };
      const job = service.add({ id, work, token: `token-of-${id}-that-nobody-guesses` });
      const order: LaunchOrder = {
        jobId: id,
        token: job.token,
        type: 'update',
        manufacturer: 'Acme',
        model: 'One',
        strategy: 'tested',
        // Launchers of jobs outside this process look at nothing else of the work.
        work: { lease: { token: ++leases } } as LaunchOrder['work'],
      };
      return { job, order };
    },
    atWork: (job) => until(() => job.status.includes('it does')),
    until,
  };
}
