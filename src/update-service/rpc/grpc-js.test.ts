import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { credentials, loadPackageDefinition, Metadata, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { createFixedAuthorizer } from '../../rest/index.ts';
import { noMetrics, silentLogger } from '../../telemetry/index.ts';
import { setUpUpdates } from '../testing/update-rig.ts';
import { serveRpc } from './serve-rpc.ts';

const proto = join(import.meta.dirname, '../../api/rpc/update.proto');

type Call = (
  request: object,
  metadata: Metadata,
  answer: (error: Error | null, response: Record<string, unknown>) => void,
) => void;

test('the gRPC library of others speaks to the service, with the definition as it is', async (t) => {
  const rig = await setUpUpdates(t);
  const listener = await serveRpc({
    desks: rig.desks,
    authorizer: createFixedAuthorizer({ all: { name: 'dustin', scopes: ['read', 'write'] } }),
    logger: silentLogger,
    metrics: noMetrics,
    host: '127.0.0.1',
    port: 0,
  });
  t.after(() => listener.close());
  const loaded = loadPackageDefinition(loadSync(proto, { enums: String, defaults: true })) as unknown as {
    rackwright: { update: { v1: { UpdateService: ServiceClientConstructor } } };
  };
  const { UpdateService } = loaded.rackwright.update.v1;
  const client = new UpdateService(`127.0.0.1:${listener.port}`, credentials.createInsecure());
  t.after(() => client.close());
  const metadata = new Metadata();
  metadata.set('authorization', 'Bearer all');
  const call = (name: string, request: object): Promise<Record<string, unknown>> =>
    new Promise((resolve, reject) => {
      const method = client[name] as Call;
      method.call(client, request, metadata, (error, response) => (error === null ? resolve(response) : reject(error)));
    });
  const scheduled = await call('Scan', { server: { name: 'alpha' } });
  assert.equal(scheduled.status, 'REQUEST_STATUS_SCHEDULED');
  const { job } = (await call('GetJob', { jobId: scheduled.jobId })) as { job: { target: string; state: string } };
  assert.deepEqual([job.target, job.state], ['alpha', 'JOB_STATE_QUEUED']);
  const refused = (await call('Scan', { server: { name: 'gamma' } })) as { error: { code: string } };
  assert.equal(refused.error.code, 'ERROR_CODE_SERVER_NOT_FOUND');
  await assert.rejects(
    new Promise((resolve, reject) => {
      const scan = client.Scan as Call;
      scan.call(client, {}, new Metadata(), (error, response) => (error === null ? resolve(response) : reject(error)));
    }),
    /UNAUTHENTICATED/,
  );
});
