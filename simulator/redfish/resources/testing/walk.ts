import assert from 'node:assert/strict';
import type { JsonObject, JsonValue } from '../../route.ts';
import { isObject } from '../render.ts';
import type { AskedMachine } from './ask.ts';

/** What a walk over a whole tree saw. */
export interface Walk {
  readonly bodies: ReadonlyMap<string, JsonObject>;
  /** Paths that were linked but are not there, with what links to them. */
  readonly dead: readonly string[];
  /** Action targets. */
  readonly targets: readonly string[];
}

/** Follows every link from the root, each path once. */
export async function walkTree(asked: AskedMachine, root = '/redfish/v1'): Promise<Walk> {
  const bodies = new Map<string, JsonObject>();
  const dead: string[] = [];
  const targets = new Set<string>();
  const queue: { path: string; from: string }[] = [{ path: root, from: '' }];
  const seen = new Set([root]);
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const answer = await asked.ask('GET', next.path);
    if (answer.status !== 200 || answer.body === undefined) {
      dead.push(`${next.from} -> ${next.path} (${answer.status})`);
      continue;
    }
    bodies.set(next.path, answer.body);
    for (const path of linksIn(answer.body, targets)) {
      if (!seen.has(path)) queue.push({ path, from: next.path });
      seen.add(path);
    }
  }
  return { bodies, dead, targets: [...targets] };
}

function linksIn(value: JsonValue | undefined, targets: Set<string>): string[] {
  if (Array.isArray(value)) return value.flatMap((element) => linksIn(element, targets));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([member, inner]) => {
    if (typeof inner !== 'string') return linksIn(inner, targets);
    if (member === 'target') targets.add(inner);
    const isLink = member === '@odata.id' || member === 'Uri' || member === '@Redfish.ActionInfo';
    return isLink && !inner.includes('#') ? [inner.replace(/(.)\/$/, '$1')] : [];
  });
}

/** Checks what every body of a Redfish service has to have. */
export function checkBodies(walk: Walk): void {
  for (const [path, body] of walk.bodies) {
    assert.equal(String(body['@odata.id']).replace(/(.)\/$/, '$1'), path, `@odata.id of ${path}`);
    const type = String(body['@odata.type']);
    assert.match(type, /^#\w+\.(?:v\d+_\d+_\d+\.)?\w+$/, `@odata.type of ${path}`);
    if (Array.isArray(body.Members)) {
      assert.equal(body['Members@odata.count'], body.Members.length, `Members@odata.count of ${path}`);
      assert.match(type, /Collection$/, `type of the collection ${path}`);
    } else {
      assert.equal(typeof body.Id, 'string', `Id of ${path}`);
    }
    assert.equal(typeof body.Name, 'string', `Name of ${path}`);
    for (const [member, value] of Object.entries(body)) {
      if (Array.isArray(value) && body[`${member}@odata.count`] !== undefined) {
        assert.equal(body[`${member}@odata.count`], value.length, `${member}@odata.count of ${path}`);
      }
    }
  }
}
