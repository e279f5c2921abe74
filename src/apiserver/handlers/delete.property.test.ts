import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import {
  type TemporaryServer,
  type TestReply,
  temporaryServer,
  widgetOf,
  widgetsAt,
} from '../http/temporary-server.ts';

type Policy = 'Orphan' | 'Foreground' | 'Background' | undefined;
type Step =
  | { readonly do: 'create'; readonly finalizers: readonly string[] }
  | { readonly do: 'delete'; readonly policy: Policy }
  | { readonly do: 'free'; readonly finalizers: readonly string[] }
  | { readonly do: 'touch' };

/** The object as a reader of the documentation would expect it. */
interface Expected {
  readonly finalizers: readonly string[];
  readonly isDying: boolean;
  readonly generation: number;
}

interface Outcome {
  readonly code: number;
  readonly next: Expected | undefined;
}

const finalizers = fc.subarray(['example.com/a', 'example.com/b', 'example.com/c']);
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('create' as const), finalizers }),
    fc.record({
      do: fc.constant('delete' as const),
      policy: fc.constantFrom<Policy>('Orphan', 'Foreground', 'Background', undefined),
    }),
    fc.record({ do: fc.constant('free' as const), finalizers }),
    fc.record({ do: fc.constant('touch' as const) }),
  ),
  { minLength: 1, maxLength: 12 },
);

const collectorsOwn = ['orphan', 'foregroundDeletion'];

function expect(now: Expected | undefined, step: Step): Outcome {
  if (step.do === 'create') {
    if (now !== undefined) return { code: 409, next: now };
    return { code: 201, next: { finalizers: step.finalizers, isDying: false, generation: 1 } };
  }
  if (now === undefined) return { code: 404, next: undefined };
  if (step.do === 'touch') return { code: 200, next: { ...now, generation: now.generation + 1 } };
  return step.do === 'delete' ? expectDelete(now, step.policy) : expectFree(now, step.finalizers);
}

function expectDelete(now: Expected, policy: Policy): Outcome {
  const others = now.finalizers.filter((name) => !collectorsOwn.includes(name));
  const had = collectorsOwn.filter((name) => now.finalizers.includes(name));
  const wanted =
    policy === 'Orphan'
      ? ['orphan']
      : policy === 'Foreground'
        ? ['foregroundDeletion']
        : policy === 'Background'
          ? []
          : had;
  const left = [...others, ...wanted];
  if (left.length === 0) return { code: 200, next: undefined };
  const generation = now.isDying ? now.generation : now.generation + 1;
  return { code: 200, next: { finalizers: left, isDying: true, generation } };
}

function expectFree(now: Expected, wanted: readonly string[]): Outcome {
  if (now.isDying && wanted.some((name) => !now.finalizers.includes(name))) return { code: 422, next: now };
  if (now.isDying && wanted.length === 0) return { code: 200, next: undefined };
  return { code: 200, next: { ...now, finalizers: wanted } };
}

async function run(server: TemporaryServer, name: string, step: Step, count: number): Promise<TestReply> {
  if (step.do === 'create') {
    return server.request('POST', widgetsAt(), widgetOf(name, {}, { finalizers: [...step.finalizers] }));
  }
  if (step.do === 'touch') return server.patch(widgetsAt(name), { spec: { count } });
  if (step.do === 'free') return server.patch(widgetsAt(name), { metadata: { finalizers: step.finalizers } });
  const policy = step.policy === undefined ? undefined : { propagationPolicy: step.policy };
  return server.request('DELETE', widgetsAt(name), policy);
}

async function seen(server: TemporaryServer, name: string): Promise<Expected | undefined> {
  const { code, object } = await server.request('GET', widgetsAt(name));
  if (code === 404) return undefined;
  const { metadata } = object;
  const isDying = metadata.deletionTimestamp !== undefined;
  assert.equal(metadata.deletionGracePeriodSeconds, isDying ? 0 : undefined);
  return { finalizers: metadata.finalizers ?? [], isDying, generation: metadata.generation ?? 0 };
}

test('objects with finalizers are created, freed and deleted as the documentation says', async (t) => {
  const server = await temporaryServer(t);
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const name = `w${runs++}`;
      let now: Expected | undefined;
      for (const [count, step] of list.entries()) {
        const { code, next } = expect(now, step);
        const before = server.store.revision();
        const reply = await run(server, name, step, count);
        assert.equal(reply.code, code, reply.text);
        assert.deepEqual(await seen(server, name), next);
        const isChanged = JSON.stringify(next) !== JSON.stringify(now);
        assert.equal(server.store.revision() - before, isChanged ? 1 : 0, 'versions are spent on changes alone');
        now = next;
      }
    }),
    { numRuns: 80, seed: 1 },
  );
  assert.deepEqual(server.faults, []);
});
