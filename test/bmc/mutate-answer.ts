import { fc } from '#fast-check';
import type { JsonObject, JsonValue } from '../../src/bmc/index.ts';

/** What a broken BMC puts where something else should be. */
const strange: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(null, '', 0, -1, 1.5, true, false, [], {}, 'null', 1e308, -1e308, 2 ** 53 + 2, [[[[]]]]),
  fc.constantFrom<JsonValue>(
    '/redfish/v1',
    '/redfish/v1/Systems',
    '/redfish/v1/UpdateService/FirmwareInventory',
    '//evil.test/redfish',
    'https://evil.test/redfish/v1/Systems/1',
    '/redfish/v1/../../etc/passwd',
    '/redfish/v1/Systems/1\r\nX-Evil: 1',
    'javascript:1',
    '__proto__',
    'constructor',
    'x'.repeat(100_000),
    '\u0000\u0007\u001b[31m',
    '💾'.repeat(50),
    '2006-13-45T99:99:99Z',
    '+275760-09-13T00:00:00.001Z',
    '99999999999999999999999999',
    '00:00:00:00:00:00',
    'ff:ff:ff:ff:ff:ff:ff:ff',
    '(((((((((a*)*)*)*)*)*)*)*$',
  ),
  fc.constant<JsonValue>({ '@odata.id': '/redfish/v1' }),
  fc.constant<JsonValue>([{ '@odata.id': '/redfish/v1/Systems' }, { '@odata.id': null }, 7, null]),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>,
);

const names = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'length',
  'then',
  'Id',
  '@odata.id',
  '',
] as const;

const bodyChanges = [
  'replace',
  'drop',
  'rename',
  'wrap',
  'repeat',
  'deepen',
  'next-page',
  'own-page',
  'other-self',
  'swap',
  'empty',
] as const;
const answerChanges = [
  'status',
  'location',
  'retry-after',
  'etag',
  'no-headers',
  'truncate',
  'lie-about-type',
] as const;

/** One thing that is wrong with an answer. */
export interface Change {
  readonly kind: (typeof bodyChanges)[number] | (typeof answerChanges)[number];
  /** Which member of which member ...: taken modulo what is there. */
  readonly place: readonly number[];
  readonly value: JsonValue;
  readonly name: string;
  readonly pick: number;
}

/** Things that can be wrong with an answer. */
export const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('replace', 'replace', 'drop', 'rename') },
    { weight: 4, arbitrary: fc.constantFrom(...bodyChanges) },
    { weight: 2, arbitrary: fc.constantFrom(...answerChanges) },
  ),
  place: fc.array(fc.nat(60), { minLength: 1, maxLength: 5 }),
  value: strange,
  name: fc.constantFrom(...names),
  pick: fc.nat(1000),
});

/** An answer as it is on its way: its body still JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonValue | undefined;
  /** So many of its bytes are cut off. */
  readonly cut: number;
}

const statuses = [
  200, 201, 202, 204, 206, 301, 304, 400, 401, 403, 404, 405, 409, 410, 412, 415, 428, 429, 500, 501, 502, 503, 504,
  599,
];
const locations = [
  '',
  ' ',
  '/',
  '//evil.test/x',
  'https://evil.test/redfish/v1/TaskService/Tasks/1',
  '/redfish/v1',
  '%%%',
  'x'.repeat(5000),
];
const waits = ['99999999999', '-1', '0', 'soon', 'Fri, 31 Dec 9999 23:59:59 GMT', '1e9', '0x10'];

/** The answer with one thing wrong. `others` are bodies of other resources that may come in its place. */
export function changed(answer: Answer, change: Change, others: readonly JsonObject[]): Answer {
  const { kind, pick } = change;
  const one = <T>(list: readonly T[]): T | undefined => list[pick % list.length];
  const withHeader = (name: string, value: string): Answer => ({
    ...answer,
    headers: { ...answer.headers, [name]: value },
  });
  switch (kind) {
    case 'status':
      return { ...answer, status: one(statuses) ?? 500 };
    case 'location':
      return withHeader('location', one(locations) ?? '');
    case 'retry-after':
      return { ...withHeader('retry-after', one(waits) ?? ''), status: pick % 2 === 0 ? 503 : answer.status };
    case 'etag':
      return withHeader('etag', one(['W/', '"', 'W/"x"', '', 'x'.repeat(9000)]) ?? '');
    case 'no-headers':
      return { ...answer, headers: {} };
    case 'truncate':
      return { ...answer, cut: 1 + pick };
    case 'lie-about-type':
      return withHeader('content-type', one(['text/html', 'application/xml', '', 'image/png; charset=klingon']) ?? '');
    case 'swap':
      return { ...answer, body: one(others) };
    case 'empty':
      return { ...answer, body: one([undefined, {}, [], 'text', 7, null]) };
    default:
      return { ...answer, body: bent(answer.body ?? {}, change, 0) };
  }
}

function bent(value: JsonValue, change: Change, level: number): JsonValue {
  const isLast = level >= change.place.length - 1;
  const pick = change.place[level] ?? 0;
  if (typeof value !== 'object' || value === null) return leaf(value, change);
  if (Array.isArray(value)) {
    if (value.length === 0 || (isLast && change.kind === 'repeat')) return leaf(value, change);
    const at = pick % value.length;
    if (isLast && change.kind === 'drop') return value.filter((_, index) => index !== at);
    return value.map((each, index) => (index === at ? bent(each, change, level + 1) : each));
  }
  return bentObject(value, change, { level, pick, isLast });
}

function bentObject(
  value: JsonObject,
  change: Change,
  at: { readonly level: number; readonly pick: number; readonly isLast: boolean },
): JsonValue {
  const members = Object.entries(value).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
  const chosen = members[at.pick % Math.max(1, members.length)];
  if (change.kind === 'next-page') return withMembers(members, [['Members@odata.nextLink', change.value]]);
  if (change.kind === 'own-page')
    return withMembers(members, [['Members@odata.nextLink', value['@odata.id'] ?? '/redfish/v1']]);
  if (change.kind === 'other-self') return withMembers(members, [['@odata.id', change.value]]);
  if (chosen === undefined) return leaf(value, change);
  const [name, member] = chosen;
  const rest = members.filter(([each]) => each !== name);
  if (at.isLast && change.kind === 'drop') return withMembers(rest, []);
  if (at.isLast && change.kind === 'rename') return withMembers(rest, [[change.name, member]]);
  return withMembers(members, [[name, at.isLast ? leaf(member, change) : bent(member, change, at.level + 1)]]);
}

/** Members by definition and not by assignment: `__proto__` is a name like any other in JSON. */
function withMembers(
  members: readonly (readonly [string, JsonValue])[],
  more: readonly (readonly [string, JsonValue | undefined])[],
): JsonObject {
  return Object.fromEntries([...members, ...more].filter(([, value]) => value !== undefined)) as JsonObject;
}

function leaf(value: JsonValue, change: Change): JsonValue {
  switch (change.kind) {
    case 'wrap':
      return [value];
    case 'repeat':
      return Array.from({ length: 300 }, () => (Array.isArray(value) ? (value[0] ?? null) : value));
    case 'deepen':
      return deepen(value, 1 + (change.pick % 80));
    case 'rename':
      return withMembers([], [[change.name, value]]);
    default:
      return change.value;
  }
}

function deepen(value: JsonValue, levels: number): JsonValue {
  let deep = value;
  for (let level = 0; level < levels; level += 1) deep = level % 2 === 0 ? [deep] : { Oem: deep };
  return deep;
}
