import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { compareExchanges, readAnswer, readRequest, withoutChance } from './exchanges.ts';

const get = 'get /api/v1/namespaces/x/configmaps/y';
const exchanges = (request: string, ...answers: string[]) => answers.map((answer) => ({ request, answer }));

describe('what is compared of the requests of controllers', () => {
  it('says how a request is made and of what', () => {
    const ask = (method: string, url: string, headers = {}) => readRequest(method, url, headers).request;
    assert.equal(ask('GET', '/api/v1/namespaces/x'), 'get /api/v1/namespaces/x');
    assert.equal(ask('GET', '/api/v1/namespaces/x/pods'), 'list /api/v1/namespaces/x/pods');
    assert.equal(
      ask('GET', '/apis/kro.run/v1alpha1/shops?watch=true&timeoutSeconds=9'),
      'watch /apis/kro.run/v1alpha1/shops',
    );
    assert.equal(ask('PUT', '/api/v1/nodes/n/status'), 'update /api/v1/nodes/n/status');
    assert.equal(
      ask('PATCH', '/api/v1/nodes/n?force=true&fieldManager=m', { 'content-type': 'application/apply-patch+yaml' }),
      'apply /api/v1/nodes/n force=true fieldManager=m',
    );
    assert.equal(
      ask('GET', '/api/v1/pods', { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' }),
      'list /api/v1/pods metadata only',
    );
  });

  it('leaves out what differs by chance', () => {
    assert.equal(withoutChance('/machines/round-12-prod-x7k2p-8wz9d'), '/machines/round-<n>-prod-<random>-<random>');
    assert.equal(withoutChance('/events/shop.187a0b1c2d3e4f50'), '/events/shop.<time>');
    assert.equal(withoutChance('a/2f1c6a9e-0000-4000-8000-1234567890ab/b'), 'a/<uid>/b');
  });

  it('finds an answer that one server alone gives', () => {
    assert.deepEqual(compareExchanges(exchanges(get, '200', '422 Invalid'), exchanges(get, '200')), [
      { request: get, embedded: ['200', '422 Invalid'], real: ['200'] },
    ]);
    assert.deepEqual(compareExchanges(exchanges(get, '200'), exchanges(get, '504 Timeout', '200')), [
      { request: get, embedded: ['200'], real: ['200', '504 Timeout'] },
    ]);
  });

  it('finds a request that one server alone gets', () => {
    assert.deepEqual(compareExchanges(exchanges(get, '200'), []), [{ request: get, embedded: ['200'], real: [] }]);
  });

  it('takes a conflict or an absence for chance only where the same request also succeeds', () => {
    assert.deepEqual(
      compareExchanges(exchanges(get, '200', '404 NotFound', '409 Conflict'), exchanges(get, '200')),
      [],
    );
    assert.equal(compareExchanges(exchanges(get, '404 NotFound'), exchanges(get, '200')).length, 1);
    assert.equal(compareExchanges(exchanges(get, '200', '403 Forbidden'), exchanges(get, '200')).length, 1);
  });

  it('takes the refused watch of a new kind for chance on the real server only', () => {
    const watch = 'watch /apis/kro.run/v1alpha1/shops';
    const [served, refused] = [exchanges(watch, '200'), exchanges(watch, '429 TooManyRequests', '200')];
    assert.deepEqual(compareExchanges(served, refused), []);
    assert.equal(compareExchanges(refused, served).length, 1);
    assert.equal(compareExchanges(exchanges(get, '200'), exchanges(get, '429 TooManyRequests', '200')).length, 1);
  });

  it('lets one server alone be asked for discovery and for events, but not refuse them', () => {
    const event = 'create /apis/events.k8s.io/v1/namespaces/default/events';
    for (const request of ['get /apis/kro.run/v1alpha1', event, `strategic patch /api/v1/namespaces/x/events/y`]) {
      assert.deepEqual(compareExchanges([], exchanges(request, '200')), []);
      assert.equal(compareExchanges(exchanges(request, '422 Invalid'), []).length, 1);
    }
    assert.equal(compareExchanges(exchanges(event, '422 Invalid'), exchanges(event, '201')).length, 1);
  });

  it('reads the reason of a refusal in JSON and in protobuf', () => {
    const reasonOf = (body: Buffer) => readAnswer({ statusCode: 404, headers: {} } as IncomingMessage, body);
    assert.equal(reasonOf(Buffer.from('{"kind":"Status","reason":"NotFound"}')), '404 NotFound');
    const text = (tag: number, value: string) => Buffer.concat([Buffer.from([tag, value.length]), Buffer.from(value)]);
    const status = [text(0x0a, ''), text(0x12, 'Failure'), text(0x1a, 'leases "x" not found'), text(0x22, 'NotFound')];
    assert.equal(reasonOf(Buffer.concat([Buffer.from('k8s\0'), ...status])), '404 NotFound');
    assert.equal(reasonOf(Buffer.from('404 page not found')), '404');
  });
});
