import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkHistory, type Expectation } from './check-log.ts';
import type { MachineHistory } from './fleet.ts';

const expected: Expectation = { versions: [{ slot: 'BIOS', version: '2.0' }], power: 'On' };

/** A history by hand: an event a line, `event detail`. */
function history(lines: string, more: Partial<MachineHistory> = {}): MachineHistory {
  const events = lines
    .trim()
    .split('\n')
    .map((line, atMs) => {
      const [, event = '', detail = ''] = /^\s*(\S+) ?(.*)$/.exec(line) ?? [];
      return { atMs, event, detail };
    });
  return { name: 'r01-s01', events, dropped: 0, firmware: [{ slot: 'BIOS', version: '2.0' }], power: 'On', ...more };
}

function rulesOf(lines: string, more: Partial<MachineHistory> = {}): string[] {
  return checkHistory(history(lines, more), expected).violations.map(({ rule }) => rule);
}

const taken = (id: number): string => `update.accepted update=${id} via=multipart applyTime=Immediate task=${id}`;
const written = (id: number, result = 'ok'): string =>
  `update.flash-begin slot=BIOS version=2.0 from=1.0 update=${id}
   update.flash-end slot=BIOS version=2.0 result=${result} update=${id}`;
const done = (id: number): string => `${written(id)}\nupdate.done update=${id}`;
/** A holder is named by a letter; who comes later in the alphabet was leased later. */
const asked = (holder: string, what = 'POST /redfish/v1/UpdateService/update 202'): string =>
  `request ${what} by=${holder}@${holder.charCodeAt(0)}`;

test('an image that was written once is as it should be', () => {
  const verdict = checkHistory(history(`${asked('a')}\n${taken(1)}\n${done(1)}`), expected);
  assert.deepEqual(verdict, {
    violations: [],
    taken: 1,
    neededAgain: 0,
    holders: 1,
    refusedLate: 0,
    hostResets: 0,
  });
});

test('an image that is written again after it was done is written twice', () => {
  assert.deepEqual(rulesOf(`${taken(1)}\n${done(1)}\n${taken(2)}\n${done(2)}`), ['twice']);
});

test('an image that is sent again while the first is still written is written twice', () => {
  const lines = `${taken(1)}\n${taken(2)}\n${written(1, 'critical')}\nupdate.failed update=1 reason=flash-failed\n${done(2)}`;
  assert.deepEqual(rulesOf(lines), ['twice']);
});

test('an image may be written again only after the BMC had failed with it', () => {
  const failed = `${taken(1)}\n${written(1, 'critical')}\nupdate.failed update=1 reason=flash-failed`;
  assert.deepEqual(rulesOf(`${failed}\n${taken(2)}\n${done(2)}`), []);
  assert.equal(checkHistory(history(`${failed}\n${taken(2)}\n${done(2)}`), expected).neededAgain, 1);
  const interrupted = `${taken(1)}\n${written(1, 'interrupted')}\nupdate.failed update=1 reason=interrupted`;
  assert.deepEqual(rulesOf(`${interrupted}\n${taken(2)}\n${done(2)}`), ['twice', 'destroyed']);
});

test('another version of the same slot is another image', () => {
  const older = done(1).replaceAll('version=2.0', 'version=1.5');
  assert.deepEqual(rulesOf(`${taken(1)}\n${older}\n${taken(2)}\n${done(2)}`), []);
});

test('an upload that was taken and thrown away is destroyed, and so is one that never ends', () => {
  const thrown = `${taken(1)}\nupdate.uploaded update=1\nupdate.failed update=1 reason=cancelled`;
  assert.deepEqual(rulesOf(`${thrown}\n${taken(2)}\n${done(2)}`), ['destroyed']);
  assert.deepEqual(rulesOf(`${taken(1)}\n${done(1)}\n${taken(2)}\nupdate.uploaded update=2`), ['destroyed']);
});

test('what an earlier holder changes after a later one has come is an overlap, whatever the later one did', () => {
  const reset = 'POST /redfish/v1/Systems/1/Actions/ComputerSystem.Reset 204';
  const read = 'GET /redfish/v1/Systems/1 200';
  assert.deepEqual(rulesOf(`${asked('a', reset)}\n${asked('b', read)}\n${asked('a', reset)}`), ['overlap']);
  assert.deepEqual(rulesOf(`${asked('a', reset)}\n${asked('b', read)}\n${asked('b', reset)}`), []);
  assert.deepEqual(rulesOf(`${asked('a', reset)}\n${asked('b', read)}\n${asked('a', read)}`), []);
  assert.deepEqual(rulesOf(`${asked('a', reset)}\n${asked('b', read)}\n${asked('a', `${reset} cut`)}`), ['overlap']);
});

test('an earlier holder that wakes late and reads something makes no intruder of the later one', () => {
  const reset = 'POST /redfish/v1/Systems/1/Actions/ComputerSystem.Reset 204';
  const root = 'GET /redfish/v1/ 200';
  assert.deepEqual(rulesOf(`${asked('b', root)}\n${asked('a', root)}\n${asked('b', reset)}`), []);
  assert.deepEqual(rulesOf(`${asked('b', root)}\n${asked('a', reset)}\n${asked('b', reset)}`), ['overlap']);
});

test('what the BMC refuses to an earlier holder is counted and no overlap', () => {
  const lines = `${asked('a')}\n${asked('b', 'GET /redfish/v1 200')}\n${asked('a', 'POST /redfish/v1/x 401')}`;
  assert.deepEqual(rulesOf(lines), []);
  assert.equal(checkHistory(history(lines), expected).refusedLate, 1);
});

test('ending a session is no change', () => {
  const logOut = 'DELETE /redfish/v1/SessionService/Sessions/1 204';
  assert.deepEqual(rulesOf(`${asked('a')}\n${asked('b', logOut)}\n${asked('a', logOut)}`), []);
});

test('a wrong version, a wrong power and a log that was cut are told', () => {
  assert.deepEqual(rulesOf(taken(1), { firmware: [{ slot: 'BIOS', version: '1.0' }], power: 'Off', dropped: 3 }), [
    'log',
    'destroyed',
    'result',
    'result',
  ]);
});
