import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '#fast-check';
import { createMetrics } from '../../telemetry/index.ts';
import { checkTable } from './check-table.ts';
import { createStateMetrics } from './state-metrics.ts';
import { defineStateTable, drawStateTable, rowsFrom, takeStep } from './state-table.ts';

const port = defineStateTable({
  name: 'port',
  initial: 'idle',
  states: ['idle', 'configuring', 'active', 'gone'],
  final: ['gone'],
  facts: { wanted: [true, false], device: ['clean', 'configured', 'unreachable'], deleting: [true, false] },
  rows: [
    { from: 'idle', when: { wanted: true, deleting: false }, to: 'configuring', do: ['write'] },
    { from: 'configuring', when: { device: 'configured', deleting: false }, to: 'active', within: 60_000 },
    {
      from: 'configuring',
      when: { overdue: true, device: ['clean', 'unreachable'], deleting: false },
      to: 'idle',
      do: ['report'],
      isAbort: true,
    },
    { from: 'active', when: { wanted: false, deleting: false }, to: 'idle', do: ['clean'] },
    { from: '*', when: { deleting: true }, to: 'gone', do: ['clean'], isAbort: true },
  ],
});

const seen = { wanted: true, device: 'clean', deleting: false } as const;

describe('a state table', () => {
  test('a good table has nothing wrong with it', () => {
    assert.deepEqual(checkTable(port), []);
  });

  test('moves by the row that matches, and does what it says', () => {
    const step = takeStep(port, { state: 'idle', since: 0 }, seen, 1000);
    assert.deepEqual(step.position, { state: 'configuring', since: 1000 });
    assert.deepEqual(step.actions, ['write']);
    assert.equal(step.overdueAt, 61_000);
  });

  test('stays when no row matches, and is overdue when it waited too long', () => {
    const waiting = takeStep(port, { state: 'configuring', since: 1000 }, seen, 60_999);
    assert.deepEqual([waiting.position.state, waiting.isTaken, waiting.overdueAt], ['configuring', false, 61_000]);
    const late = takeStep(port, { state: 'configuring', since: 1000 }, seen, 61_000);
    assert.deepEqual([late.position, late.actions], [{ state: 'idle', since: 61_000 }, ['report']]);
    assert.equal(takeStep(port, { state: 'gone', since: 0 }, { ...seen, deleting: true }, 9).isTaken, false);
  });

  test('is drawn with every row', () => {
    const drawing = drawStateTable(port);
    assert.match(drawing, /^stateDiagram-v2\n {2}\[\*\] --> idle\n/);
    assert.match(drawing, /configuring --> active: device is configured, not deleting \[60 s\]\n/);
    assert.match(drawing, /active --> gone: deleting \/ clean\n/);
    assert.match(drawing, /gone --> \[\*\]\n$/);
  });

  test('reports how long states last, and those that are stuck past their limit', async () => {
    const metrics = createMetrics();
    const states = createStateMetrics(metrics, port);
    const from = { state: 'configuring', since: 1000 } as const;
    states.took(from, takeStep(port, from, { ...seen, device: 'configured' }, 31_000));
    assert.match(
      await metrics.expose(),
      /rackwright_state_seconds_sum\{machine="port",from="configuring",to="active"\} 30/,
    );
    const stuck = { ...port, rows: port.rows.filter((row) => row.when.overdue !== true) };
    states.took(from, takeStep(stuck, from, seen, 100_000));
    assert.match(await metrics.expose(), /rackwright_state_overdue_total\{machine="port",state="configuring"\} 1/);
  });

  test('mistakes are named', () => {
    const bad = defineStateTable({
      name: 'bad',
      initial: 'a',
      states: ['a', 'b', 'c', 'island'],
      final: [],
      facts: { x: [true, false] },
      rows: [
        { from: 'a', when: { x: true }, to: 'b' },
        { from: 'a', when: {}, to: 'c', isAbort: true },
        { from: 'b', when: { overdue: true }, to: 'a', isAbort: true },
        { from: 'c', when: { x: true }, to: 'c' },
      ],
    });
    assert.deepEqual(checkTable(bad), [
      'bad: row 3 waits for state "b" to be overdue, which has no limit',
      'bad: state "island" is never reached',
      'bad: state "b" has no exit',
      'bad: state "c" has no exit',
      'bad: state "c" has no abort',
      'bad: state "island" has no exit',
      'bad: state "island" has no abort',
      'bad: in state "a" rows 1 and 2 can match at once',
    ]);
    const stray = { ...port, rows: [...port.rows, { from: 'nowhere', when: { colour: 'red' }, to: 'idle' }] };
    const problems = checkTable(stray as unknown as typeof port);
    assert.ok(problems.includes('port: state "nowhere" is not declared'));
    assert.ok(problems.includes('port: row 6 asks for colour = red, which is never seen'));
  });

  test('in a checked table at most one row matches whatever is seen, and a walk never leaves the states', () => {
    const facts = fc.record({
      wanted: fc.boolean(),
      device: fc.constantFrom('clean', 'configured', 'unreachable'),
      deleting: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(facts, fc.nat(70_000)), { maxLength: 30 }), (walk) => {
        let position: { state: (typeof port.states)[number]; since: number } = { state: 'idle', since: 0 };
        let now = 0;
        for (const [moment, passed] of walk) {
          now += passed;
          for (const overdue of [true, false]) {
            const matching = rowsFrom(port, position.state).filter((row) =>
              Object.entries(row.when).every(([fact, wanted]) =>
                [wanted].flat().includes(({ ...moment, overdue } as Record<string, unknown>)[fact] as never),
              ),
            );
            assert.ok(matching.length <= 1);
          }
          position = takeStep(port, position, moment, now).position;
          assert.ok(port.states.includes(position.state));
        }
      }),
    );
  });
});
