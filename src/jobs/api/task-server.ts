import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { durationMs } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { updateRpc } from '../../api/index.ts';
import { JobError } from '../errors.ts';
import type { JobFile } from '../job-file.ts';
import type { TaskState } from '../run/job-port.ts';

/** A job, as its own interface shows it. */
export interface Task {
  readonly jobId: string;
  readonly state: TaskState;
  /** Asks it to stop. False when it is over already. */
  cancel(how: { readonly timeoutMs: number | undefined; readonly isForced: boolean }): boolean;
}

/** Where the interface of a job listens and who may use it. */
export interface TaskServerOptions {
  readonly task: Task;
  /** The job's own token: only who launched it knows it. */
  readonly token: string;
  readonly host: string;
  /** Any that is free unless given. */
  readonly port?: number;
  readonly tls?: JobFile['tls'];
}

/** The interface of a job while it runs. */
export interface TaskServer {
  /** `http://127.0.0.1:43617`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the interface of a job: CancelTask and GetTask, as Connect, gRPC-Web and HTTP with JSON. */
export async function startTaskServer(options: TaskServerOptions): Promise<TaskServer> {
  const { host, port = 0, tls } = options;
  if (tls === undefined && !isLoopback(host)) {
    const problems = [`its interface is to listen at ${host}, for which it needs tls: the token passes there`];
    throw new JobError('badJobFile', { file: 'given' }, { problems });
  }
  const handler = connectNodeAdapter({
    routes: (router) => addRoutes(router, options),
    readMaxBytes: 64 * 1024,
    jsonOptions: { ignoreUnknownFields: false },
  });
  const server: Server =
    tls === undefined
      ? createServer(handler)
      : createTlsServer({ cert: tls.certificatePem, key: tls.privateKeyPem }, handler);
  server.listen({ host, port });
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${shown}:${address.port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close').catch(() => {});
    },
  };
}

/** True for addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

function addRoutes(router: ConnectRouter, { task, token }: TaskServerOptions): void {
  const admit = ({ requestHeader }: Pick<HandlerContext, 'requestHeader'>): void => {
    if (!isSame(requestHeader.get('authorization') ?? '', `Bearer ${token}`)) {
      const message = 'the token of the job is needed';
      const value = { code: updateRpc.ErrorCode.UNAUTHENTICATED, message };
      throw new ConnectError(message, Code.Unauthenticated, undefined, [{ desc: updateRpc.RequestErrorSchema, value }]);
    }
  };
  const { SUCCEEDED, SCHEDULED, ALREADY_FINISHED } = updateRpc.RequestStatus;
  router.service(updateRpc.JobTaskService, {
    cancelTask({ timeout, force }, context) {
      admit(context);
      const asked = timeout === undefined ? 0 : durationMs(timeout);
      const isTaken = task.cancel({ timeoutMs: asked > 0 ? asked : undefined, isForced: force });
      return { status: isTaken ? SCHEDULED : ALREADY_FINISHED };
    },
    getTask(_request, context) {
      admit(context);
      const { percent, message, isCancelUnsafe, outcome } = task.state;
      const { result = '', skipped = [] } = outcome;
      return {
        status: SUCCEEDED,
        jobId: task.jobId,
        ...{ percent, message, isCancelUnsafe, result },
        skipped: skipped.map((one) => ({
          ...{ name: one.component, manufacturer: one.vendor, version: one.version, message: one.message },
          reason: one.why,
        })),
      };
    },
  });
}

/** Takes as long for wrong tokens as for right ones. */
function isSame(given: string, wanted: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(wanted));
}
