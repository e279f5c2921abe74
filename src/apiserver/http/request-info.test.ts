import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { isPathValid, pathFault, readRequestInfo } from './request-info.ts';

function shown(method: string, url: string): string {
  const { verb, group, version, namespace, resource, name, subresource } = readRequestInfo({ method, url });
  return [verb, group, version, namespace, resource, name, subresource].join(' ');
}

const table: [method: string, url: string, shown: string][] = [
  ['GET', '/api/v1/namespaces', 'list  v1  namespaces  '],
  ['GET', '/api/v1/namespaces/a', 'get  v1 a namespaces a '],
  ['PUT', '/api/v1/namespaces/a/finalize', 'update  v1 a namespaces a finalize'],
  ['GET', '/api/v1/namespaces/a/pods?watch=true', 'watch  v1 a pods  '],
  ['GET', '/api/v1/namespaces/a/pods?watch=false', 'list  v1 a pods  '],
  ['GET', '/api/v1/watch/namespaces/a/pods', 'watch  v1 a pods  '],
  ['POST', '/api/v1/namespaces/a/pods/p/eviction', 'create  v1 a pods p eviction'],
  ['DELETE', '/apis/g.io/v1/things', 'deletecollection g.io v1  things  '],
  ['DELETE', '/apis/g.io/v1/things/x', 'delete g.io v1  things x '],
  ['PATCH', '/apis/g.io/v1/namespaces/a/things/x/status', 'patch g.io v1 a things x status'],
  ['GET', '/apis/g.io/v1/namespaces/a%2fthings/x', 'get g.io v1 a things x '],
  ['GET', '/api/v1/namespaces/a/pods/p%00q', 'get  v1 a pods p\0q '],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Dp', 'list  v1  pods p '],
  ['GET', 'https://somewhere/api/v1/pods', 'list  v1  pods  '],
  ['GET', '/apis/g.io/v1', 'get      '],
  ['GET', '/apis/g.io/v1/namespaces/a/things//x', 'list g.io v1 a things  x'],
  ['GET', '/api/v1//namespaces', 'get  v1   namespaces '],
  ['GET', '/apis//v1/things/x', 'get      '],
  ['GET', '//api/v1/namespaces', 'get      '],
  ['GET', '/api/v1/namespaces/', 'list  v1  namespaces  '],
  ['GET', '/version', 'get      '],
];

test('a request line is read as the Kubernetes API lays its paths out', () => {
  for (const [method, url, expected] of table) assert.equal(shown(method, url), expected, `${method} ${url}`);
});

test('a path with a broken escape is not valid, a query may have one', () => {
  assert.equal(isPathValid('/a%zz'), false);
  assert.equal(isPathValid('/a%'), false);
  assert.equal(isPathValid('/a?b=%zz'), true);
  assert.equal(isPathValid('/a%2f'), true);
});

test('a word that stood before resources says nothing when it stands alone', () => {
  const faultOf = (url: string) => pathFault(readRequestInfo({ method: 'GET', url }));
  for (const url of [
    '/api/v1/watch',
    '/api/v1/watch/?a=b',
    '/apis/g.io/v1/watch',
    '/apis//v1/watch',
    '/api/v1/proxy/',
  ]) {
    assert.equal(faultOf(url), 'unable to determine kind and namespace from url', url);
  }
  for (const url of ['/api/v1/watch/pods', '/api/watch', '/api/v1/pods/watch', '/api/v1/namespaces/a/watch']) {
    assert.equal(faultOf(url), undefined, url);
  }
});

test('any request line is read, whatever it is', () => {
  const piece = fc.constantFrom(
    '/',
    'api',
    'apis',
    'v1',
    'namespaces',
    'watch',
    '%2f',
    '%',
    '%ff',
    '?',
    '&',
    '=',
    '#',
    '..',
    '__proto__',
    'ä',
    '\0',
  );
  fc.assert(
    fc.property(
      fc.string({ unit: piece, maxLength: 20 }),
      fc.constantFrom('GET', 'POST', 'BURN', ''),
      (url, method) => {
        const info = readRequestInfo({ method, url });
        assert.ok(info.isResource || info.resource === '');
        assert.ok([info.verb, info.name, info.subresource].every((text) => typeof text === 'string'));
      },
    ),
    { numRuns: 1000 },
  );
});
