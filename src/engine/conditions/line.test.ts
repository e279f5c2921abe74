import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import type { Sharing } from '../kinds.ts';
import { compareInLine, decideLine, type InLine } from './line.ts';

const hold = { code: 'HostInUse', message: 'somebody uses it' };

/** `E1`: an exclusive one with priority 1; lower case: active; `!`: held; `?`: not its turn; `+`: begun. */
function line(text: string): InLine[] {
  const sharings: Record<string, Sharing> = { e: 'exclusive', s: 'shared', p: 'passive' };
  return text.split(' ').map((word, index) => ({
    id: `${index}`,
    isBegun: word.includes('+'),
    isActive: word.charAt(0) === word.charAt(0).toLowerCase(),
    sharing: sharings[word.charAt(0).toLowerCase()] ?? assert.fail(word),
    priority: Number(/\d/.exec(word)?.[0] ?? 0),
    createdAt: index,
    isTurn: !word.includes('?'),
    hold: word.includes('!') ? hold : undefined,
  }));
}

function ready(text: string): string {
  return decideLine(line(text))
    .filter((one) => one.isReady)
    .map((one) => one.id)
    .sort()
    .join('');
}

const table: readonly [string, string, string][] = [
  ['E', '0', 'exclusive work goes when nobody is there'],
  ['E E', '0', 'the older of two exclusive ones goes first'],
  ['E E1', '1', 'the one with the greater priority goes first'],
  ['e E', '', 'nothing exclusive goes beside exclusive work'],
  ['e S', '', 'nothing shared goes beside exclusive work'],
  ['e P', '1', 'passive work goes beside anything'],
  ['p E', '1', 'passive work keeps nobody waiting'],
  ['s S S', '12', 'shared work goes beside shared work'],
  ['s E S', '', 'a newer shared one does not overtake an exclusive one that waits'],
  ['S E S', '0', 'nor before anything runs'],
  ['s E S1', '2', 'unless it has the greater priority'],
  ['E! E', '1', 'who is held back keeps nobody waiting'],
  ['E1 E+', '1', 'what has begun goes before what is urgent'],
  ['S1 E+', '1', 'also before what only reads'],
  ['E E+!', '1', 'what has begun is brought to its end though its machine is held since'],
  ['E? S E', '1', 'nor who waits for its unit'],
  ['P E! S? P', '03', 'held and not yet due ones are not ready'],
];

for (const [text, expected, sentence] of table) {
  test(`${sentence} (${text})`, () => assert.equal(ready(text), expected));
}

test('who is not ready is told why, and who is ready is not', () => {
  const codes = decideLine(line('e S E! P? P')).map((one) => one.reason?.code ?? 'ready');
  assert.deepEqual(codes, ['WaitsForLock', 'HostInUse', 'WaitsForUnit', 'ready']);
});

test('in any line, leasing what is ready never puts exclusive work beside other work, and somebody can always go on', () => {
  const one = fc.record({
    sharing: fc.constantFrom<Sharing>('exclusive', 'shared', 'passive'),
    priority: fc.nat(2),
    createdAt: fc.nat(5),
    isTurn: fc.boolean(),
    hold: fc.constantFrom(undefined, hold),
    isBegun: fc.constant(false),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 8 }), fc.infiniteStream(fc.nat(7)), (ones, picks) => {
      let now: InLine[] = ones.map((each, index) => ({ ...each, id: `${index}`, isActive: false }));
      for (;;) {
        const open = decideLine(now).filter((each) => each.isReady);
        const waiting = now.filter((each) => !each.isActive && each.isTurn && each.hold === undefined);
        const active = now.filter((each) => each.isActive && each.sharing !== 'passive');
        if (active.length === 0 && waiting.length > 0) assert.ok(open.length > 0, 'somebody must be able to go on');
        const [oldest] = waiting.filter((each) => each.sharing !== 'passive').sort(compareInLine);
        if (active.length === 0 && oldest !== undefined) assert.ok(open.some((each) => each.id === oldest.id));
        const chosen = open[Number(picks.next().value) % Math.max(1, open.length)];
        if (chosen === undefined) break;
        now = now.map((each) => (each.id === chosen.id ? { ...each, isActive: true } : each));
        const busy = now.filter((each) => each.isActive && each.sharing !== 'passive');
        if (busy.some((each) => each.sharing === 'exclusive')) assert.equal(busy.length, 1);
      }
    }),
  );
});
