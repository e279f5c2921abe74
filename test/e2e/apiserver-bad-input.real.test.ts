import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePortRange } from '../real/free-ports.ts';
import { whyNoRealKube } from '../real/kube/binaries.ts';
import { type RealKube, startRealKube } from '../real/kube/real-kube.ts';
import { badRequests, standing, verdictOf } from './apiserver-bad-requests.ts';
import { ApiClient } from './apiserver-client.ts';
import { createWidgetCrd, widget, widgetPath } from './apiserver-fixture.ts';

const whyNot = whyNoRealKube();

if (whyNot !== undefined) it('a real kube-apiserver refuses bad requests the same way', { skip: whyNot }, () => {});
else describe('a real kube-apiserver refuses bad requests the same way', askAll);

function askAll(): void {
  const folder = mkdtempSync(join(tmpdir(), 'bad-input-real-'));
  let kube: RealKube;
  let client: ApiClient;

  before(async () => {
    kube = await startRealKube({ dataDir: folder, port: await freePortRange(4), withoutControllers: true });
    client = new ApiClient({ url: kube.server, caPem: kube.caPem, token: kube.adminToken });
    await createWidgetCrd(client);
    const reply = await client.request('POST', widgetPath(), { body: widget(standing, { size: 1, replicas: 1 }) });
    assert.equal(reply.code, 201, reply.text);
  });
  after(async () => {
    client?.close();
    await kube?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const bad of badRequests.filter(({ realDiffers }) => realDiffers === undefined)) {
    it(`${bad.name} is answered with ${bad.code} ${bad.reason ?? ''}`, async () => {
      const { method, path, body, headers = {} } = bad;
      const reply = await client.request(method, path, { body, headers });
      assert.deepEqual(verdictOf(reply), [bad.code, bad.reason], reply.text.slice(0, 1000));
    });
  }
}
