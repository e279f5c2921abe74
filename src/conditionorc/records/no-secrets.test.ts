import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imageA, serverA, startOrc } from '../testing/orc-rig.ts';

for (const [form, URL] of Object.entries({
  'a user and a password': 'https://user:s3cret@images/x',
  'a token as the user': 'https://s3cret@images/x',
  'a signature': 'https://images/x?sig=s3cret',
})) {
  test(`the log-in of where an image comes from, ${form}, is shown to nobody but the worker that fetches it`, async (t) => {
    const rig = await startOrc(t);
    await rig.addMachine(serverA);
    const image = { id: imageA, vendor: 'dell', component: 'bios', version: '1', URL };
    const created = await rig.call('POST', `/servers/${serverA}/firmwareInstall`, { firmwares: [image] });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    const read = await rig.call('GET', `/servers/${serverA}/condition`);
    const list = await rig.call('GET', `/conditions/${created.record.id}`);
    for (const { body } of [created, read, list]) assert.doesNotMatch(JSON.stringify(body), /s3cret/);
    assert.match(JSON.stringify(list.body), /images\/x/);
    await rig.engine.worker.online({ id: 'w1', kinds: ['firmwareInstall'], facilities: ['fc1'] });
    const [lease] = await rig.engine.worker.lease('w1', { max: 1, waitMs: 0 });
    assert.ok(JSON.stringify(lease?.condition.parameters).includes(URL));
  });
}
