import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition } from '../../engine/index.ts';
import { showCondition } from './condition-record.ts';

const condition = { createdAt: 0, updatedAt: 0, status: {}, state: 'pending' };

function show(target: string, parameters: Condition['parameters'] = {}): string {
  return showCondition({ ...condition, target, parameters } as Condition).target;
}

test('the target of a discovery is shown as its manufacturer and model are written, that of a server as its id', () => {
  const parameters = { name: 'lenovo', manufacturer: 'Lenovo', model: 'ThinkSystem SR670' };
  assert.equal(show('model/lenovo/thinksystem sr670', parameters), 'model/Lenovo/ThinkSystem SR670');
  // As earlier versions stored it.
  assert.equal(show('model/lenovo/thinksystem%20sr670', parameters), 'model/Lenovo/ThinkSystem SR670');
  assert.equal(show('server/0a000000-0000-4000-8000-00000000000a', parameters), '0a000000-0000-4000-8000-00000000000a');
  assert.equal(show('model/x'), 'model/x');
});
