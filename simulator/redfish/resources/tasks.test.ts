import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Personality } from '../../personalities/personality.ts';
import { plainPersonality } from '../../personalities/testing/plain-personality.ts';
import { type AskedMachine, createAskedMachine } from './testing/ask.ts';
import { messageIds } from './testing/messages.ts';

async function stageBios({ machine }: AskedMachine): Promise<string> {
  machine.bios.stage({ Cores: 4 });
  return machine.tasks.all[0]?.id ?? '';
}

async function restart({ machine, clock }: AskedMachine): Promise<void> {
  machine.power.reset('ForceRestart');
  await clock.advance(300_000);
}

test('a monitor answers 202 while its task goes on and with the task when it is over', async () => {
  const asked = createAskedMachine();
  const id = await stageBios(asked);
  const task = await asked.get(`/redfish/v1/TaskService/Tasks/${id}`);
  const monitor = String(task.TaskMonitor);
  const running = await asked.ask('GET', monitor);
  assert.equal(running.status, 202);
  assert.equal(running.headers?.Location, monitor);
  assert.ok(running.headers?.['Retry-After']);
  assert.equal(running.body?.Id, id);
  await restart(asked);
  const over = await asked.ask('GET', monitor);
  assert.equal(over.status, 200);
  assert.deepEqual([over.body?.TaskState, over.body?.TaskStatus, over.body?.PercentComplete], ['Completed', 'OK', 100]);
  assert.match(String(over.body?.EndTime), /^2026-/);
});

test('a task that goes on cannot be deleted; one that is over can, and is gone with its monitor', async () => {
  const asked = createAskedMachine();
  const id = await stageBios(asked);
  const path = `/redfish/v1/TaskService/Tasks/${id}`;
  assert.deepEqual(messageIds(await asked.ask('DELETE', path)), ['Base.1.8.ResourceInUse']);
  await restart(asked);
  assert.equal((await asked.ask('DELETE', path)).status, 204);
  for (const gone of [path, `/redfish/v1/TaskService/TaskMonitors/${id}`]) {
    assert.equal((await asked.ask('GET', gone)).status, 404);
    assert.equal((await asked.ask('DELETE', gone)).status, 404);
  }
});

test('a task that the vendor has purged is in no list and at no address', async () => {
  const personality: Personality = { ...plainPersonality, isTaskPurged: (_, task) => task.endedAt !== undefined };
  const asked = createAskedMachine({ personality });
  const id = await stageBios(asked);
  const tasks = '/redfish/v1/TaskService/Tasks';
  assert.equal((await asked.get(tasks))['Members@odata.count'], 1);
  await restart(asked);
  assert.equal((await asked.get(tasks))['Members@odata.count'], 0);
  assert.equal((await asked.ask('GET', `${tasks}/${id}`)).status, 404);
  assert.equal((await asked.ask('GET', `/redfish/v1/TaskService/TaskMonitors/${id}`)).status, 404);
});
