import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import type { JsonObject } from '../engine/index.ts';
import { describeConditionOrc } from './index.ts';
import { firmwareForTests } from './testing/fake-inventory.ts';
import { imageA, serverA, serverB, setA, startOrc } from './testing/orc-rig.ts';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly names: readonly string[];
  readonly hasBody: boolean;
  readonly statuses: ReadonlySet<string>;
}

function operationsOf(document: JsonObject): readonly Operation[] {
  const paths = document.paths as Record<string, Record<string, { requestBody?: object; responses: object }>>;
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/v1'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { requestBody, responses }]) => ({
        method: method.toUpperCase(),
        path: path.slice('/api/v1'.length),
        names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
        hasBody: requestBody !== undefined,
        statuses: new Set(Object.keys(responses)),
      })),
    );
}

const text = fc.oneof(
  fc.constantFrom(
    'powerOn',
    'firmwareInstall',
    'inventory',
    'serverControl',
    'w1',
    'upload',
    'active',
    'failed',
    'pending',
  ),
  fc.constantFrom("' OR 1=1 --", '__proto__', 'constructor', '%00', '../..', '\u0000', '\ud800', '💥', ' '),
  fc.string({ maxLength: 20 }),
  fc.constantFrom(serverA, serverB, setA, imageA),
);
const members = [
  ...[
    'kind',
    'parameters',
    'firmware-set-id',
    'firmware_set_id',
    'firmwares',
    'priority',
    'deadline_ms',
    'lock',
    'state',
  ],
  ...['status', 'controller', 'force', 'insist', 'workerId', 'kinds', 'facilities', 'max', 'waitMs', 'seen', 'target'],
  ...['conditionId', 'token', 'report', 'why', 'afterMs', 'name', 'action', 'data', 'server_id', 'asset_id', 'extra'],
];
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.constantFrom(null, true, false, 0, -1, 1, 1.5, 1e308, Number.MAX_SAFE_INTEGER, []),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...members), tie('value'), { maxKeys: 4 }),
  ),
}));
const body = fc.oneof(
  { weight: 5, arbitrary: fc.dictionary(fc.constantFrom(...members), value, { maxKeys: 6 }) },
  value,
);

test('whatever is sent, every answer is one that the document has, and none is a failure of the service', async (t) => {
  const rig = await startOrc(t);
  await rig.addMachine(serverA);
  rig.inventory.sets.set(setA, [firmwareForTests(imageA)]);
  await rig.engine.worker.online({ id: 'w1', kinds: ['powerOn'], facilities: ['fc1'] });
  const operations = operationsOf(describeConditionOrc());
  assert.ok(operations.length > 30);
  const request = fc.record({
    operation: fc.constantFrom(...operations),
    parts: fc.array(text, { minLength: 3, maxLength: 3 }),
    body,
    query: fc.dictionary(fc.constantFrom('kind', 'limit', 'after', 'state', 'ts_update', 'before', 'x'), text, {
      maxKeys: 2,
    }),
  });
  const property = fc.asyncProperty(request, async ({ operation, parts, body: sent, query }) => {
    const filled = operation.names.reduce((path, name, index) => {
      const part = parts[index] ?? '';
      const known = name === 'uuid' && index % 2 === 0 ? serverA : part;
      return path.replace(`{${name}}`, encodeURIComponent(known.toWellFormed()) || 'x');
    }, operation.path);
    const safe = Object.entries(query).map(([name, one]) => [name, one.toWellFormed()]);
    const withQuery = safe.length === 0 ? filled : `${filled}?${new URLSearchParams(Object.fromEntries(safe))}`;
    const patient = sent !== null && typeof sent === 'object' && !Array.isArray(sent) && 'waitMs' in sent;
    const answer = await rig.call(
      operation.method,
      withQuery,
      operation.hasBody ? (patient ? { ...sent, waitMs: 0 } : sent) : undefined,
    );
    const status = String(answer.status);
    const said = `${operation.method} ${withQuery} ${JSON.stringify(sent)} -> ${status} ${JSON.stringify(answer.body)}`;
    assert.ok(operation.statuses.has(status) || (status === '404' && answer.body.code === 'noSuchPath'), said);
    assert.ok(answer.status < 500 || answer.status === 501, said);
  });
  await fc.assert(property, { numRuns: 600, seed: 20260101 });
});
