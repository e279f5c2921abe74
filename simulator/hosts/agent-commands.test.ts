import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/kube/index.ts';
import { AgentCommands, CommandRefused } from './agent-commands.ts';
import type { ImageOrder } from './image-order.ts';

/** Commands of an agent whose writing of an image ends when the test says so. */
function agentWithSlowDisk() {
  const writing = Promise.withResolvers<void>();
  const written: ImageOrder[] = [];
  const done: string[] = [];
  const commands = new AgentCommands({
    clock: systemClock,
    signal: new AbortController().signal,
    effects: {
      writeImage: async (order) => {
        written.push(order);
        await writing.promise;
      },
      eraseDisks: () => {},
      powerOff: () => done.push('off'),
      reboot: () => done.push('reboot'),
      note: () => {},
    },
  });
  return { commands, writing, written, done };
}

const prepare = { image_info: { urls: ['http://images/a'] } };

test('one command runs at a time, and who comes meanwhile hears that the agent is busy', async () => {
  const { commands, writing } = agentWithSlowDisk();
  const { command, done } = commands.start('standby.prepare_image', prepare);
  assert.equal(command.command_status, 'RUNNING');
  assert.throws(
    () => commands.start('standby.sync', {}),
    (error) => error instanceof CommandRefused && error.status === 409 && /agent is busy/i.test(error.message),
  );
  writing.resolve();
  await done;
  await commands.start('standby.sync', {}).done;
  assert.deepEqual(
    commands.all.map(({ command_name, command_status }) => [command_name, command_status]),
    [
      ['prepare_image', 'SUCCEEDED'],
      ['sync', 'SUCCEEDED'],
    ],
  );
});

test('the end of a long command is told, that of a short one is not', async () => {
  const { commands, writing } = agentWithSlowDisk();
  let told = 0;
  const stop = commands.onDone(() => {
    told += 1;
  });
  await commands.start('deploy.get_deploy_steps', {}).done;
  assert.equal(told, 0);
  writing.resolve();
  await commands.start('standby.prepare_image', prepare).done;
  assert.equal(told, 1);
  stop();
  await commands.start('standby.prepare_image', prepare).done;
  assert.equal(told, 1);
});

test('an image is ordered by hash and algorithm, or by a checksum whose length tells the algorithm', async () => {
  const { commands, writing, written } = agentWithSlowDisk();
  writing.resolve();
  for (const info of [{ os_hash_algo: 'sha512', os_hash_value: 'aa' }, { checksum: 'b'.repeat(64) }, {}]) {
    await commands.start('standby.prepare_image', { image_info: { urls: ['http://images/a'], ...info } }).done;
  }
  assert.deepEqual(
    written.map(({ hashAlgorithm, hashValue }) => [hashAlgorithm, hashValue]),
    [
      ['sha512', 'aa'],
      ['sha256', 'b'.repeat(64)],
      [undefined, undefined],
    ],
  );
  const { command, done } = commands.start('standby.prepare_image', { image_info: {} });
  await done;
  assert.match(String(command.command_error?.message), /no url/);
});

test('the agent lets the host go down and up', async () => {
  const { commands, done } = agentWithSlowDisk();
  await commands.start('standby.power_off', {}).done;
  await commands.start('standby.run_image', {}).done;
  assert.deepEqual(done, ['off', 'reboot']);
});
