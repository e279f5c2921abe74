import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BareMetalHostStatus } from '../../api/index.ts';
import { deployed, statusIn } from '../testing/settled-status.ts';
import { createWaitingLine } from './waiting-line.ts';

const resting = statusIn('provisioned', deployed());
const serviced: BareMetalHostStatus = { ...resting, operationalStatus: 'servicing' };

function setUp() {
  const woken: string[] = [];
  const line = createWaitingLine((key) => void woken.push(key));
  const wait = (key: string) => line.roundEnded(key, { before: resting, after: resting, isDelayed: true });
  const end = (key: string, before: BareMetalHostStatus, after: BareMetalHostStatus) =>
    line.roundEnded(key, { before, after, isDelayed: false });
  return { woken, line, wait, end };
}

test('each that leaves calls one that waits, first come first', () => {
  const { woken, wait, end } = setUp();
  for (const key of ['a', 'b', 'a', 'c']) wait(key);
  end('x', serviced, resting);
  end('y', serviced, { ...resting, operationalStatus: 'error' });
  end('z', serviced, serviced);
  assert.deepEqual(woken, ['a', 'b']);
});

test('whoever was called and does not want it any more calls the next, whoever takes it does not', () => {
  const { woken, line, wait, end } = setUp();
  for (const key of ['a', 'b', 'c', 'd']) wait(key);
  end('x', serviced, resting);
  end('a', resting, resting);
  line.gone('b');
  assert.deepEqual(woken, ['a', 'b', 'c']);
  end('c', resting, serviced);
  assert.deepEqual(woken, ['a', 'b', 'c']);
});

test('whoever was called in vain goes to the end of the line', () => {
  const { woken, wait, end } = setUp();
  for (const key of ['a', 'b']) wait(key);
  end('x', serviced, resting);
  wait('a');
  end('y', serviced, resting);
  end('z', statusIn('inspecting'), statusIn('available'));
  assert.deepEqual(woken, ['a', 'b', 'a']);
});

test('those that found room by themselves or are gone are not called', () => {
  const { woken, line, wait, end } = setUp();
  for (const key of ['a', 'b']) wait(key);
  end('a', resting, serviced);
  line.gone('b');
  end('x', serviced, resting);
  assert.deepEqual(woken, []);
});
