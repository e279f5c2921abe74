import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkTable, rowsFrom } from '../../kube/index.ts';
import { installTable, unsafeStates } from './install-table.ts';

test('the table of an install has no state that cannot be reached or left, and no two rows that match at once', () => {
  assert.deepEqual(checkTable(installTable), []);
});

test('no row cancels while firmware may be being written', () => {
  const cancelling = installTable.states.filter((state) =>
    rowsFrom(installTable, state).some(({ when }) => [when.result].flat().includes('cancelled')),
  );
  assert.ok(cancelling.includes('fetching'));
  assert.deepEqual(
    cancelling.filter((state) => unsafeStates.includes(state)),
    [],
  );
});

test('what leads from where a cancel works to where it waits can still be cancelled', () => {
  const last = installTable.states.filter(
    (state) =>
      !unsafeStates.includes(state) && rowsFrom(installTable, state).some(({ to }) => unsafeStates.includes(to)),
  );
  assert.deepEqual(new Set(last), new Set(['checking', 'marking']));
  for (const state of last)
    assert.ok(
      rowsFrom(installTable, state).some(({ when }) => [when.result].flat().includes('cancelled')),
      state,
    );
});
