import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRequestCounts, requestsBetween } from './request-counts.ts';

const labels = 'group="metal.ironcore.dev",version="v1alpha1",resource="serverfirmwares"';
const before = `# HELP apiserver_request_total Requests answered.
apiserver_request_total{verb="PATCH",${labels},subresource="status",code="200"} 10
apiserver_request_total{verb="WATCH",${labels},subresource="",code="200"} 1
apiserver_request_total{verb="GET",group="",version="",resource="",subresource="",code="200"} 7
`;
const after = `apiserver_request_total{verb="PATCH",${labels},subresource="status",code="200"} 12
apiserver_request_total{verb="PATCH",${labels},subresource="",code="409"} 5
apiserver_request_total{verb="WATCH",${labels},subresource="",code="200"} 9
`;

test('requests between two readings are told by verb, resource and code, without watches and what is no resource', () => {
  assert.deepEqual(requestsBetween(readRequestCounts(before), readRequestCounts(after)), [
    { verb: 'PATCH', resource: 'serverfirmwares', code: '409', count: 5 },
    { verb: 'PATCH', resource: 'serverfirmwares/status', code: '200', count: 2 },
  ]);
});

test('requests that a server tells apart by more than that are added up, however large their numbers are written', () => {
  const counts =
    readRequestCounts(`apiserver_request_total{code="200",scope="namespace",verb="LIST",resource="secrets"} 4
apiserver_request_total{code="200",scope="cluster",verb="LIST",resource="secrets"} 1.5e+06
`);
  assert.deepEqual(counts, [{ verb: 'LIST', resource: 'secrets', code: '200', count: 1_500_004 }]);
});
