import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAbsentProvisioners } from './absent/index.ts';
import { chooseProvisioners } from './choose-provisioners.ts';
import { createDemoArrivals, createDemoProvisioners } from './testing/demo/index.ts';

const details = { hardware: {} };

test('of provisioners beside each other all are asked for the machines that they know, not only the first', async () => {
  const [one, other] = [createDemoArrivals(), createDemoArrivals()];
  const ids = [
    one.arrive({ bootMac: '52:54:00:00:00:01', details }),
    other.arrive({ bootMac: '52:54:00:00:00:02', details }),
  ];
  const absent = createAbsentProvisioners({ message: 'nobody is there' });
  const all = [absent, ...[one, other].map((arrivals) => createDemoProvisioners({ arrivals }))];
  const { sources = [] } = chooseProvisioners(all, () => absent);
  const listed = await Promise.all(sources.map((source) => source.list()));
  assert.deepEqual(
    listed.flatMap((outcome) => (outcome.kind === 'done' ? outcome.value.map(({ id }) => id) : [])),
    ids,
  );
});

test('where none can tell of machines there is no source', () => {
  const absent = createAbsentProvisioners({ message: 'nobody is there' });
  assert.deepEqual(chooseProvisioners([absent, absent], () => absent).sources, []);
});

test('each host goes to the one that is chosen for it', async () => {
  const arrivals = createDemoArrivals();
  const id = arrivals.arrive({ bootMac: '52:54:00:00:00:01', details });
  const [demo, absent] = [createDemoProvisioners({ arrivals }), createAbsentProvisioners({ message: 'not here' })];
  const chosen = chooseProvisioners([demo, absent], ({ name }) => (name === 'mine' ? demo : absent));
  const host = { namespace: 'fleet', id, isPowerOffDisabled: false };
  const importing = (name: string) => chosen.of({ ...host, name }).importHost?.({ isRetry: false });
  assert.deepEqual(await importing('mine'), { kind: 'done', value: { id } });
  assert.notEqual((await importing('theirs'))?.kind, 'done');
});
