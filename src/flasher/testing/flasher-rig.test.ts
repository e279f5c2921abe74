import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFlasherRig } from './flasher-rig.ts';

test('work on the rig is not over before its log-outs are, so that none is under way beside the next work', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  let isLoggedOut = false;
  await rig.within(async ({ gates, servers }) => {
    const server = await servers.find('server/1');
    assert.ok(server);
    const lane = gates.open(server.endpoint);
    await lane.request({ method: 'GET', path: '/redfish/v1/Systems' });
    assert.notEqual(lane.sessionUri, undefined);
    rig.setFaults([{ kind: 'slow-answer', method: 'DELETE', durationMs: 20_000 }]);
    void lane.logOut().finally(() => {
      isLoggedOut = true;
    });
  });
  assert.ok(isLoggedOut);
});
