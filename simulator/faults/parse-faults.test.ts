import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { BadFaults } from './errors.ts';
import { checkFaults, parseFaults } from './parse-faults.ts';

test('rules are read from YAML and from JSON, with and without the list having a name', () => {
  const expected = [
    { kind: 'busy', rate: 0.1 },
    { kind: 'flash-hangs', machines: 'r01-*', component: 'bios', times: 1 },
  ];
  const yaml =
    'faults:\n- kind: busy\n  rate: 0.1\n- {kind: flash-hangs, machines: r01-*, component: bios, times: 1}\n';
  assert.deepEqual(parseFaults(yaml), expected);
  assert.deepEqual(parseFaults(JSON.stringify(expected)), expected);
  assert.deepEqual(checkFaults({ rules: expected }), { rules: expected, problems: [] });
  assert.deepEqual(parseFaults(''), []);
});

test('what is wrong is said with its place and what is allowed', () => {
  const rows: [string, RegExp][] = [
    ['- kind: flash-hang', /faults\[0\]\.kind: "flash-hang" is not one of flash-hangs, /],
    ['- rate: 1', /faults\[0\]\.kind: is missing; it is one of flash-hangs/],
    ['- {kind: busy, rate: 2}', /faults\[0\]\.rate: must be a number from 0 to 1/],
    ['- {kind: busy, often: true}', /faults\[0\]\.often: is not a field of a rule; those are kind, machines/],
    ['- {kind: busy, times: 1.5}', /faults\[0\]\.times: must be a whole number/],
    ['- {kind: busy, durationMs: soon}', /faults\[0\]\.durationMs: must be a number of milliseconds/],
    ['- {kind: busy, afterMs: 10, untilMs: 5}', /faults\[0\]\.untilMs: is before afterMs/],
    ['- {kind: flash-hangs, component: boss}', /faults\[0\]\.component: "boss" is not one of bmc, bios/],
    ['- {kind: busy, machines: ""}', /faults\[0\]\.machines: must be a text/],
    ['- busy', /faults\[0\]: must be an object/],
    ['rule: []', /rule: is not known here; only `faults` is/],
    ['faults: busy', /faults: must be a list/],
    ['busy', /it must be a list of rules/],
    ['- {kind: busy', /line 1/],
    ['- kind: busy\n- kind: bussy\n- kind: bizzy', /faults\[1\].*faults\[2\]/],
  ];
  for (const [text, problem] of rows) {
    assert.throws(
      () => parseFaults(text),
      (error) => error instanceof BadFaults && problem.test(error.message),
      text,
    );
  }
});

test('any text is read or refused, never more', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      try {
        parseFaults(text);
      } catch (error) {
        assert.ok(error instanceof BadFaults, String(error));
      }
    }),
    { numRuns: 500 },
  );
});
