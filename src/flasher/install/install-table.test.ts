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
