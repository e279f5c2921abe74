import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Code, ConnectError, createClient, type Interceptor, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { updateRpc } from '../../api/index.ts';
import { createCertificateAuthority, issueServerCertificate, kubeError } from '../../kube/index.ts';
import { createFixedAuthorizer } from '../../rest/index.ts';
import { type AuditExport, type AuditedRequest, noMetrics, silentLogger } from '../../telemetry/index.ts';
import { setUpUpdates } from '../testing/update-rig.ts';
import { serveRpc } from './serve-rpc.ts';

const { ErrorCode, JobState, JobType, RequestStatus } = updateRpc;

const tokens = {
  all: { name: 'dustin', scopes: ['read', 'write'] },
  reader: { name: 'reader', scopes: ['read'] },
  reporter: { name: 'reporter', scopes: ['report-unfenced'] },
};

function withToken(token: string): Interceptor {
  return (next) => async (request) => {
    if (token !== '') request.header.set('authorization', `Bearer ${token}`);
    return await next(request);
  };
}

async function started(
  t: TestContext,
  certificate?: Parameters<typeof serveRpc>[0]['certificate'],
  audit?: AuditExport,
) {
  const rig = await setUpUpdates(t);
  await rig.addFirmware('2.10.0');
  const listener = await serveRpc({
    desks: rig.desks,
    authorizer: createFixedAuthorizer(tokens),
    logger: silentLogger,
    metrics: noMetrics,
    audit,
    host: '127.0.0.1',
    port: 0,
    certificate,
  });
  t.after(() => listener.close());
  const clientOver = (transport: Transport) => createClient(updateRpc.UpdateService, transport);
  const grpc = (token = 'all') =>
    clientOver(createGrpcTransport({ baseUrl: listener.url, interceptors: [withToken(token)] }));
  return { rig, listener, clientOver, grpc };
}

const update = { server: { name: 'alpha' }, firmwares: [{ name: 'bios', manufacturer: '', version: '2.10.0' }] };

test('gRPC, gRPC-Web and HTTP/JSON are served on one port in clear text', async (t) => {
  const { listener, clientOver, grpc } = await started(t);
  const first = await grpc().update(update);
  assert.equal(first.status, RequestStatus.SCHEDULED);
  const interceptors = [withToken('all')];
  const others = [
    createGrpcWebTransport({ baseUrl: listener.url, httpVersion: '1.1', interceptors }),
    createGrpcWebTransport({ baseUrl: listener.url, httpVersion: '2', interceptors }),
    createConnectTransport({ baseUrl: listener.url, httpVersion: '1.1', interceptors, useBinaryFormat: false }),
    createConnectTransport({ baseUrl: listener.url, httpVersion: '2', interceptors }),
  ];
  for (const transport of others) {
    const { status, jobId } = await clientOver(transport).update(update);
    assert.deepEqual([status, jobId], [RequestStatus.ALREADY_SCHEDULED, first.jobId]);
  }
  const plain = await fetch(`${listener.url}/rackwright.update.v1.UpdateService/Scan`, {
    method: 'POST',
    headers: { authorization: 'Bearer all', 'content-type': 'application/json' },
    body: JSON.stringify({ server: { name: 'beta' } }),
  });
  const body = (await plain.json()) as { status: string; jobId: string };
  assert.deepEqual([plain.status, body.status], [200, 'REQUEST_STATUS_SCHEDULED']);
});

test('the same with TLS, where the protocol is agreed on in the handshake', async (t) => {
  const now = new Date();
  const authority = await createCertificateAuthority({ commonName: 'test', now });
  const certificate = await issueServerCertificate(authority, { now, ips: ['127.0.0.1'] });
  const { listener, clientOver } = await started(t, certificate);
  const nodeOptions = { ca: authority.certificatePem };
  const options = { baseUrl: listener.url, nodeOptions, interceptors: [withToken('all')] };
  assert.match(listener.url, /^https:/);
  for (const transport of [
    createGrpcTransport(options),
    createGrpcWebTransport({ ...options, httpVersion: '1.1' }),
    createConnectTransport({ ...options, httpVersion: '1.1', useBinaryFormat: false }),
  ]) {
    const { jobs } = await clientOver(transport).listJobs({});
    assert.deepEqual(jobs, []);
  }
});

test('every refusal is an answer with a code and a reason', async (t) => {
  const { grpc } = await started(t);
  const client = grpc();
  const cases = [
    [await client.update({ ...update, firmwares: [] }), ErrorCode.INVALID_REQUEST],
    [await client.update({ ...update, server: { name: 'gamma' } }), ErrorCode.SERVER_NOT_FOUND],
    [await client.update({}), ErrorCode.INVALID_REQUEST],
    [await client.update({ ...update, firmwares: [{ name: 'bios', version: '99' }] }), ErrorCode.FIRMWARE_NOT_FOUND],
    [await client.update({ ...update, priority: 2_000_000_000 }), ErrorCode.INVALID_REQUEST],
    [await client.scan({}), ErrorCode.INVALID_REQUEST],
    [await client.discover({ discoveredFirmware: { name: 'x' } }), ErrorCode.DISCOVERED_FIRMWARE_NOT_FOUND],
    [await client.getJob({ jobId: 'no such job' }), ErrorCode.JOB_NOT_FOUND],
    [await client.cancelJob({ jobId: '0' }), ErrorCode.JOB_NOT_FOUND],
    [await client.listJobs({ pageSize: -1 }), ErrorCode.INVALID_REQUEST],
    [await client.listJobs({ pageToken: 'nonsense' }), ErrorCode.INVALID_REQUEST],
    [await client.listJobs({ pageToken: Buffer.from('1 \0').toString('base64url') }), ErrorCode.INVALID_REQUEST],
    [await client.listJobs({ state: 99 as updateRpc.JobState }), ErrorCode.INVALID_REQUEST],
    [await client.listJobs({ type: 99 as updateRpc.JobType }), ErrorCode.INVALID_REQUEST],
    [await client.takeJob({}), ErrorCode.PERMISSION_DENIED],
    [await client.takeJob({ proof: { jobId: 'x', token: 'y' } }), ErrorCode.PERMISSION_DENIED],
    [await client.reportProgress({ proof: { jobId: 'x', token: 'y' } }), ErrorCode.PERMISSION_DENIED],
    [
      await client.updateServer({ server: { name: 'alpha' }, firmwares: update.firmwares }),
      ErrorCode.PERMISSION_DENIED,
    ],
  ] as const;
  for (const [at, [{ status, error }, code]] of cases.entries()) {
    assert.equal(status, RequestStatus.REFUSED, `case ${at}`);
    assert.equal(error?.code, code, `case ${at}: ${error?.message}`);
    assert.ok((error?.message.length ?? 0) > 10);
  }
});

test('while the Kubernetes API is away a request is to be asked again, and is no fault of the service', async (t) => {
  const { rig, grpc } = await started(t);
  const away = async () => {
    throw kubeError('ConnectionFailed', 'connect ECONNREFUSED 10.0.0.1:6443');
  };
  Object.assign(rig.names, { machineOf: away, discoveredFirmware: away });
  const model = { discoveredFirmware: { name: 'r640' }, manufacturer: 'Dell', model: 'R640' };
  for (const { status, error } of [await grpc().update(update), await grpc().discover(model)]) {
    assert.deepEqual([status, error?.code], [RequestStatus.REFUSED, ErrorCode.UNAVAILABLE]);
    assert.match(error?.message ?? '', /Kubernetes API/);
    assert.doesNotMatch(error?.message ?? '', /10\.0\.0\.1/);
  }
});

test('JSON with a field or a word that there is none of is refused by name, and nothing is done', async (t) => {
  const { rig, listener } = await started(t);
  const call = async (method: string, body: object) => {
    const answer = await fetch(`${listener.url}/rackwright.update.v1.UpdateService/${method}`, {
      method: 'POST',
      headers: { authorization: 'Bearer all', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.status, ...((await answer.json()) as { code: string; message: string }) };
  };
  const misspelt = await call('Scan', { server: { name: 'alpha' }, scanTreshold: '1h' });
  assert.deepEqual([misspelt.status, misspelt.code], [400, 'invalid_argument']);
  assert.match(misspelt.message, /ScanRequest from JSON: key "scanTreshold" is unknown/);
  const inside = await call('Update', { ...update, firmwares: [{ ...update.firmwares[0], versoin: '2.10.0' }] });
  assert.match(inside.message, /key "versoin" is unknown/);
  assert.match((await call('ListJobs', { type: 'JOB_TYPE_UPDAET' })).message, /JOB_TYPE_UPDAET/);
  assert.deepEqual(await rig.lease('w1'), []);
});

test('what is an error of the protocol has its code and reason among its details, over every protocol', async (t) => {
  const { listener, clientOver } = await started(t);
  const transports = (token: string) => {
    const options = { baseUrl: listener.url, interceptors: [withToken(token)] };
    return [
      createGrpcTransport(options),
      createGrpcWebTransport({ ...options, httpVersion: '1.1' }),
      createConnectTransport({ ...options, httpVersion: '1.1', useBinaryFormat: false }),
    ];
  };
  const told = async (call: Promise<unknown>) => {
    const error: unknown = await call.then(
      () => assert.fail('it was answered'),
      (reason: unknown) => reason,
    );
    const [detail] = ConnectError.from(error).findDetails(updateRpc.RequestErrorSchema);
    assert.ok((detail?.message.length ?? 0) > 10);
    return detail?.code;
  };
  const scan = { server: { name: 'alpha' } };
  for (const transport of transports('')) {
    assert.equal(await told(clientOver(transport).scan(scan)), ErrorCode.UNAUTHENTICATED);
  }
  for (const transport of transports('reader')) {
    assert.equal(await told(clientOver(transport).scan(scan)), ErrorCode.PERMISSION_DENIED);
    const watch = clientOver(transport).watchJobs({ jobId: '0' });
    assert.equal(await told(watch[Symbol.asyncIterator]().next()), ErrorCode.JOB_NOT_FOUND);
  }
});

test('calls need a token that allows them; jobs need none but their own', async (t) => {
  const { rig, grpc } = await started(t);
  const codeOf = (call: Promise<unknown>): Promise<Code | undefined> =>
    call.then(
      () => undefined,
      (error: unknown) => ConnectError.from(error).code,
    );
  assert.equal(await codeOf(grpc('').scan({ server: { name: 'alpha' } })), Code.Unauthenticated);
  assert.equal(await codeOf(grpc('wrong').listJobs({})), Code.Unauthenticated);
  assert.equal(await codeOf(grpc('reader').scan({ server: { name: 'alpha' } })), Code.PermissionDenied);
  assert.equal(await codeOf(grpc('reader').cancelJob({ jobId: 'x' })), Code.PermissionDenied);
  assert.equal(await codeOf(grpc('reader').listJobs({})), undefined);
  await grpc().scan({ server: { name: 'alpha' } });
  const [lease] = await rig.lease('w1');
  assert.ok(lease);
  const proof = await rig.launched(lease);
  const nobody = grpc('');
  assert.equal((await nobody.takeJob({ proof })).status, RequestStatus.SUCCEEDED);
  assert.equal((await nobody.reportProgress({ proof, percent: 50 })).status, RequestStatus.SUCCEEDED);
  const told = { server: { name: 'alpha' }, firmwares: update.firmwares };
  assert.equal((await nobody.updateServer({ ...told, proof })).status, RequestStatus.SUCCEEDED);
  assert.equal((await grpc('reporter').updateServer(told)).status, RequestStatus.SUCCEEDED);
  assert.equal((await grpc().updateServer(told)).error?.code, ErrorCode.PERMISSION_DENIED);
});

test('jobs are listed page by page, shown, cancelled and watched', async (t) => {
  const { rig, grpc } = await started(t);
  const client = grpc();
  const scan = await client.scan({ server: { name: 'alpha' } });
  const second = await client.update({ ...update, server: { name: 'beta' } });
  const page = await client.listJobs({ pageSize: 1 });
  const rest = await client.listJobs({ pageSize: 1, pageToken: page.nextPageToken });
  const ids = [...page.jobs, ...rest.jobs].map(({ id }) => id);
  assert.deepEqual(ids.toSorted(), [scan.jobId, second.jobId].toSorted());
  assert.equal(rest.nextPageToken, '');
  const { job } = await client.getJob({ jobId: scan.jobId });
  assert.deepEqual([job?.target, job?.type, job?.state], ['alpha', JobType.SCAN, JobState.QUEUED]);
  const ending = new AbortController();
  const seen: string[] = [];
  const watch = client.watchJobs({ type: JobType.UPDATE }, { signal: ending.signal });
  for await (const { job: one } of watch) {
    seen.push(`${one?.id === second.jobId} ${JobState[one?.state ?? 0]}`);
    if (seen.length === 1) {
      const cancelled = await client.cancelJob({ jobId: second.jobId });
      assert.equal(cancelled.job?.reason, 'Cancelled');
    }
    if (one?.state === JobState.FAILED) break;
  }
  ending.abort();
  assert.deepEqual(seen, ['true QUEUED', 'true FAILED']);
  assert.equal((await rig.engine.get(scan.jobId))?.state, 'pending');
});

test('a cancel during a flash is refused unless somebody insists, and asked for in any case', async (t) => {
  const { rig, grpc } = await started(t);
  const client = grpc();
  const { jobId } = await client.update(update);
  const [lease] = await rig.lease('w1');
  assert.ok(lease);
  const held = { conditionId: jobId, token: lease.token };
  await rig.engine.worker.report(held, { isCancelUnsafe: true });
  const asked = await client.cancelJob({ jobId });
  assert.deepEqual([asked.status, asked.job?.isCancelAsked], [RequestStatus.SUCCEEDED, true]);
  const forced = await client.cancelJob({ jobId, force: true });
  assert.equal(forced.error?.code, ErrorCode.UNSAFE_TO_CANCEL);
  assert.equal((await rig.engine.get(jobId))?.state, 'active');
  const insisted = await client.cancelJob({ jobId, force: true, insist: true });
  assert.deepEqual([insisted.job?.state, insisted.job?.reason], [JobState.FAILED, 'Cancelled']);
});

test('a cancel of a job that had finished says so, whichever way it is asked for', async (t) => {
  const { rig, grpc } = await started(t);
  const client = grpc();
  const { jobId } = await client.update(update);
  const [lease] = await rig.lease('w1');
  assert.ok(lease);
  await rig.engine.worker.report({ conditionId: jobId, token: lease.token }, { state: 'succeeded' });
  for (const how of [{}, { force: true }, { force: true, insist: true }]) {
    const { status, error, job } = await client.cancelJob({ jobId, ...how });
    assert.equal(status, RequestStatus.ALREADY_FINISHED);
    assert.deepEqual([error, job?.state, job?.isCancelAsked], [undefined, JobState.SUCCEEDED, false]);
  }
});

test('a cancel that is asked for again after the job was cancelled gets the same answer', async (t) => {
  const { grpc } = await started(t);
  const client = grpc();
  const { jobId } = await client.update(update);
  for (const _ of ['first', 'again']) {
    const { status, job } = await client.cancelJob({ jobId });
    assert.deepEqual([status, job?.reason], [RequestStatus.SUCCEEDED, 'Cancelled']);
  }
});

test('calls that change something are recorded with who made them and what came of it, and so are those that nobody may make', async (t) => {
  const recorded: AuditedRequest[] = [];
  const record = (request: AuditedRequest) => void recorded.push(request);
  const audit = { record, fault: () => undefined, lost: () => 0, close: async () => undefined };
  const { grpc } = await started(t, undefined, audit);
  await grpc().update(update);
  await grpc().listJobs({});
  await grpc().update({ ...update, server: { name: 'gamma' } });
  await assert.rejects(grpc('reader').update(update));
  await assert.rejects(grpc('stranger').listJobs({}));
  const told = { server: { name: 'alpha' }, firmwares: update.firmwares };
  await grpc('reporter').updateServer(told);
  await grpc('reader').updateServer(told);
  await assert.rejects(grpc('stranger').updateServer(told));
  await grpc('').updateServer({ ...told, proof: { jobId: 'x', token: 'y' } });
  const seen = recorded.map(({ verb, path, user, code }) => `${verb} ${path} ${user?.username ?? '?'} ${code}`);
  const below = '/rackwright.update.v1.UpdateService';
  assert.deepEqual(seen, [
    `create ${below}/Update dustin 200`,
    `create ${below}/Update dustin 404`,
    `create ${below}/Update reader 403`,
    `list ${below}/ListJobs ? 401`,
    `create ${below}/UpdateServer reporter 200`,
    `create ${below}/UpdateServer reader 403`,
    `create ${below}/UpdateServer ? 401`,
  ]);
});

test('bytes that are no message are a mistake of the client, whoever sends them', async (t) => {
  const { listener } = await started(t);
  for (const [body, message] of [
    [Buffer.from([0x0a, 0xff]), /parse binary/],
    [Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), /parse binary/],
  ] as const) {
    for (const call of ['TakeJob', 'Update']) {
      const headers = { 'content-type': 'application/proto', authorization: 'Bearer all' };
      const answer = await fetch(`${listener.url}/rackwright.update.v1.UpdateService/${call}`, {
        ...{ method: 'POST', headers, body },
      });
      assert.equal(answer.status, 400);
      const error = (await answer.json()) as { code: string; message: string };
      assert.equal(error.code, 'invalid_argument');
      assert.match(error.message, message);
    }
  }
});
