import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VendorName } from '../bmc.ts';
import type { UpdateProgress } from '../firmware-update.ts';
import { activationOf, isResetDue } from './index.ts';

const cases: readonly (readonly [VendorName, string, string | undefined, 'none' | 'host' | 'bmc'])[] = [
  ['dell', 'bmc', 'Immediate', 'none'],
  ['hpe', 'bmc', undefined, 'none'],
  ['supermicro', 'bmc', 'OnStartUpdateRequest', 'none'],
  ['lenovo', 'bmc', 'Immediate', 'bmc'],
  ['openbmc', 'bmc', 'Immediate', 'none'],
  ['openbmc', 'bmc', 'OnReset', 'bmc'],
  ['nvidia', 'bmc', 'OnReset', 'bmc'],
  ['dell', 'bios', 'OnReset', 'host'],
  ['hpe', 'bios', undefined, 'host'],
  ['lenovo', 'bios', undefined, 'host'],
  ['openbmc', 'bios', 'Immediate', 'host'],
  ['dell', 'nic', 'OnReset', 'host'],
  ['generic', 'drive', undefined, 'host'],
  ['dell', 'psu', 'OnReset', 'host'],
  ['hpe', 'psu', undefined, 'none'],
  ['dell', 'something new', undefined, 'host'],
];

for (const [vendor, component, applyTime, reset] of cases) {
  test(`${component} of ${vendor} with ${applyTime ?? 'no applying time'} needs a reset of: ${reset}`, () => {
    assert.equal(activationOf(vendor, component, applyTime).reset, reset);
  });
}

test('a BMC update that does not show up may need the host, and a CPLD needs the power off', () => {
  assert.equal(activationOf('dell', 'bmc').fallback, 'host');
  assert.equal(activationOf('dell', 'cpld').isPowerCycle, true);
  assert.equal(activationOf('dell', 'bios').isPowerCycle, false);
});

const due = (
  component: string,
  progress: UpdateProgress,
  more: { hasReset?: boolean; unchangedMs?: number; vendor?: VendorName } = {},
) =>
  isResetDue({
    activation: activationOf(more.vendor ?? 'dell', component),
    component,
    progress,
    hasReset: more.hasReset ?? false,
    unchangedMs: more.unchangedMs ?? 0,
  });

const running = (percent?: number): UpdateProgress => ({ kind: 'running', percent, message: '' });
const queued: UpdateProgress = { kind: 'running', percent: 20, message: '', isQueued: true };
const completed: UpdateProgress = { kind: 'completed', hasWarning: false, message: '' };

test('a reset is due once: when it is waited for, or when the task is over', () => {
  assert.equal(due('bios', { kind: 'waits-for-host-reset', message: '' }), 'host');
  assert.equal(due('bios', completed), 'host');
  assert.equal(due('bios', { kind: 'gone', message: '' }), undefined);
  assert.equal(due('bios', { kind: 'gone', message: '' }, { unchangedMs: 15 * 60_000 }), 'host');
  assert.equal(due('bios', completed, { hasReset: true }), undefined);
  assert.equal(due('bmc', completed), undefined);
  assert.equal(due('bmc', completed, { vendor: 'lenovo' }), 'bmc');
  assert.equal(due('bios', { kind: 'failed', message: '', messageIds: [] }), undefined);
});

test('a task that is queued for half a minute waits for the host without saying so', () => {
  assert.equal(due('nic', queued, { unchangedMs: 20_000 }), undefined);
  assert.equal(due('nic', queued, { unchangedMs: 40_000 }), 'host');
  assert.equal(due('nic', running(0), { unchangedMs: 40_000 }), undefined);
  assert.equal(due('nic', queued, { unchangedMs: 40_000, hasReset: true }), undefined);
  assert.equal(due('bmc', queued, { unchangedMs: 40_000 }), undefined);
});

test('a host whose BMC writes the BIOS itself is not reset meanwhile', () => {
  assert.equal(due('bios', queued, { unchangedMs: 40_000, vendor: 'supermicro' }), undefined);
  assert.equal(due('bios', queued, { unchangedMs: 40_000, vendor: 'openbmc' }), undefined);
});
