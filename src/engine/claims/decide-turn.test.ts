import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { turns } from './claim.ts';
import { decideTurn, type InTurn } from './decide-turn.ts';

const work = (more: Partial<InTurn> = {}): InTurn => ({
  id: '1',
  isActive: false,
  isBegun: false,
  sharing: 'exclusive',
  priority: 0,
  createdAt: 1,
  isTurn: true,
  isOutside: false,
  isHeld: false,
  ...more,
});

const cases: readonly (readonly [string, Parameters<typeof decideTurn>[0], ReturnType<typeof decideTurn>])[] = [
  ['rests with the owner', { turn: 'theirs', isMarked: false, line: [] }, 'theirs'],
  ['is asked for by work that waits', { turn: 'theirs', isMarked: false, line: [work()] }, 'asked'],
  [
    'is not asked for by work that is held',
    { turn: 'theirs', isMarked: false, line: [work({ isHeld: true })] },
    'theirs',
  ],
  [
    'is not asked for by a later one of a unit',
    { turn: 'theirs', isMarked: false, line: [work({ isTurn: false })] },
    'theirs',
  ],
  [
    'is not asked for by shared work',
    { turn: 'theirs', isMarked: false, line: [work({ sharing: 'shared' })] },
    'theirs',
  ],
  [
    'is asked for by held work that has begun',
    { turn: 'theirs', isMarked: false, line: [work({ isHeld: true, isBegun: true })] },
    'asked',
  ],
  [
    'stays while the owner works',
    { turn: 'theirs', isMarked: false, line: [work(), work({ id: '2', isOutside: true, isActive: true })] },
    'theirs',
  ],
  ['stays while the owner works on what was not known', { turn: 'theirs', isMarked: true, line: [work()] }, 'theirs'],
  [
    'goes to the owner whose work is older',
    { turn: 'ours', isMarked: false, line: [work({ id: '2', createdAt: 2 }), work({ isOutside: true })] },
    'over',
  ],
  [
    'stays here while work goes on',
    { turn: 'ours', isMarked: false, line: [work({ isActive: true }), work({ id: '0', isOutside: true })] },
    'ours',
  ],
  ['stays here while work waits', { turn: 'ours', isMarked: false, line: [work()] }, 'ours'],
  ['is given back when nothing waits', { turn: 'ours', isMarked: false, line: [] }, 'over'],
  ['is given back when what waits is held', { turn: 'ours', isMarked: false, line: [work({ isHeld: true })] }, 'over'],
  ['waits for the owner to make way', { turn: 'asked', isMarked: false, line: [] }, 'asked'],
  ['waits for the owner to take it back', { turn: 'over', isMarked: false, line: [work()] }, 'over'],
];

for (const [name, seen, next] of cases) {
  test(`the turn ${name}`, () => {
    assert.equal(decideTurn(seen), next);
  });
}

test('no turn passes over work that has begun', () => {
  const one = fc.record({
    id: fc.uuid(),
    isActive: fc.boolean(),
    isBegun: fc.boolean(),
    sharing: fc.constantFrom('exclusive' as const, 'shared' as const),
    priority: fc.nat(2),
    createdAt: fc.nat(5),
    isTurn: fc.boolean(),
    isOutside: fc.boolean(),
    isHeld: fc.boolean(),
  });
  const seen = fc.record({ turn: fc.constantFrom(...turns), isMarked: fc.boolean(), line: fc.array(one) });
  fc.assert(
    fc.property(seen, ({ turn, isMarked, line }) => {
      const next = decideTurn({ turn, isMarked, line });
      const begun = line.filter((each) => each.sharing === 'exclusive' && (each.isActive || each.isBegun));
      if (turn === 'theirs' && (isMarked || begun.some((each) => each.isOutside))) assert.equal(next, 'theirs');
      if (turn === 'ours' && begun.some((each) => !each.isOutside)) assert.equal(next, 'ours');
      // Only by way of the owner does a turn go to the other side.
      assert.ok(!(turn === 'theirs' && next === 'ours') && !(turn === 'ours' && next === 'theirs'));
    }),
  );
});
