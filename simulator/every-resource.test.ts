import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { test } from 'node:test';
import { personalityNames, type RunningBmc, startDataCentre } from './index.ts';
import { ask, basic, type WireAnswer } from './redfish/front/testing/wire.ts';

/** Paths a body leads to: links to resources, and the pages that follow. */
function linksOf(answer: WireAnswer): string[] {
  if (!/json/.test(String(answer.headers['content-type']))) return [];
  const found = answer.text.matchAll(/"(?:@odata\.id|Members@odata\.nextLink)":"([^"#]+)["#]/g);
  return [...found].map(([, path = '']) => path.replace(/\/$/, ''));
}

async function readAll(bmc: RunningBmc, visit: (path: string, answer: WireAnswer) => Promise<void>): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const seen = new Set(['/redfish/v1', '/redfish', '/redfish/v1/odata', '/redfish/v1/$metadata']);
  for (const path of seen) {
    const answer = await ask(`${bmc.url}${path}`, { headers: basic(bmc), agent });
    await visit(path, answer);
    for (const link of linksOf(answer)) seen.add(link);
  }
  agent.destroy();
  return seen.size;
}

for (const name of personalityNames) {
  test(`${name}: every link leads to a resource with an ETag that holds`, async (t) => {
    const dataCentre = await startDataCentre({
      seed: 1,
      servers: 1,
      personalities: [name],
      isPlain: true,
      speed: 1,
      arePoweredOn: true,
    });
    t.after(() => dataCentre.close());
    const [bmc] = dataCentre.bmcs;
    assert.ok(bmc);
    const isWeak = bmc.machine.personality.service.hasWeakEtags;
    const count = await readAll(bmc, async (path, answer) => {
      assert.equal(answer.status, 200, path);
      if (!/json/.test(String(answer.headers['content-type']))) return;
      const { json, headers } = answer;
      if (json['@odata.id'] === undefined) return;
      assert.equal(String(json['@odata.id']).replace(/\/$/, ''), path.replace(/\?.*$/, ''));
      assert.equal(json['@odata.etag'], headers.etag, path);
      assert.equal(String(headers.etag).startsWith('W/'), isWeak, path);
      const again = await ask(`${bmc.url}${path}`, {
        headers: { ...basic(bmc), 'if-none-match': String(headers.etag) },
      });
      assert.equal(again.status, 304, path);
    });
    assert.ok(count > 100, `${count} resources`);
  });

  test(`${name}: a change of the system goes through with the ETag it was read with`, async (t) => {
    const dataCentre = await startDataCentre({ seed: 1, servers: 1, personalities: [name], isPlain: true });
    t.after(() => dataCentre.close());
    const [bmc] = dataCentre.bmcs;
    assert.ok(bmc);
    const { service } = bmc.machine.personality;
    const url = `${bmc.url}${bmc.systemPath}`;
    const read = await ask(url, { headers: basic(bmc) });
    const patch = async (headers: Record<string, string>) => {
      const body = JSON.stringify({ Boot: { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'Pxe' } });
      const sent = { ...basic(bmc), 'content-type': 'application/json', ...headers };
      return (await ask(url, { method: 'PATCH', headers: sent, body })).status;
    };
    assert.equal(await patch({ 'if-match': '"0000"' }), 412);
    assert.equal(bmc.machine.boot.target === 'Pxe', false);
    const etag = String(read.headers.etag);
    const accepted = service.doesRefuseWeakIfMatch === true ? etag.replace(/^W\//, '') : etag;
    assert.ok((await patch({ 'if-match': accepted })) < 300);
    assert.equal(bmc.machine.boot.target, 'Pxe');
    const bare = await patch({});
    assert.ok(service.isIfMatchRequired ? bare === 428 : bare < 300, String(bare));
  });
}
