import { durationFromMs } from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { updateRpc } from '../../api/index.ts';

/** Where the interface of a job is, and what is needed to use it. */
export interface TaskAddress {
  readonly url: string;
  readonly token: string;
  /** The certificate that it serves with, and the name in it. */
  readonly tls?: { readonly certificatePem: string; readonly name: string };
  /** How long one call may take; 5 s unless given. */
  readonly timeoutMs?: number;
}

/** The interface of a job, for who launched it. What cannot be reached throws a ConnectError. */
export interface TaskClient {
  cancel(how: { readonly timeoutMs: number; readonly isForced: boolean }): Promise<void>;
  get(): Promise<{ readonly percent: number; readonly message: string; readonly isCancelUnsafe: boolean }>;
}

/** Makes a client of a job's own interface. */
export function createTaskClient({ url, token, tls, timeoutMs = 5000 }: TaskAddress): TaskClient {
  const transport = createConnectTransport({
    baseUrl: url,
    httpVersion: '1.1',
    defaultTimeoutMs: timeoutMs,
    // A job's address is not known before it runs, so its certificate has a name instead.
    nodeOptions: tls === undefined ? {} : { ca: tls.certificatePem, servername: tls.name },
  });
  const rpc = createClient(updateRpc.JobTaskService, transport);
  const headers = { authorization: `Bearer ${token}` };
  return {
    async cancel({ timeoutMs: within, isForced }) {
      await rpc.cancelTask({ timeout: durationFromMs(within), force: isForced }, { headers });
    },
    get: () => rpc.getTask({}, { headers }),
  };
}
