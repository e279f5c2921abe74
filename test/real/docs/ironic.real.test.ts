/** Commands of pages that need an Ironic, typed into bash as the pages have them, on a real one that asks for a password. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { blocksFor } from '../../docs/pages.ts';
import { typePages } from '../../docs/type-pages.ts';
import { type Desk, startLines, typeLines } from '../../docs/typed-commands.ts';
import { freePortRange } from '../free-ports.ts';
import { type Ironic, type IronicNode, startIronic } from '../ironic/ironic.ts';
import { whyNoRealIronic } from '../ironic/programs.ts';
import { createScratch } from '../ironic/scratch.ts';
import { until } from '../ironic/until.ts';

const host = `
apiVersion: v1
kind: Secret
metadata: {name: mine-bmc, namespace: default}
stringData: {username: admin, password: of-this-run-only}
---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: {name: mine, namespace: default}
spec:
  online: true
  bootMACAddress: "00:11:22:33:44:55"
  bmc: {address: "redfish://192.0.2.1/redfish/v1/Systems/1", credentialsName: mine-bmc}
`;

describe('commands for an Ironic', { skip: whyNoRealIronic() ?? false }, () => {
  const scratch = createScratch('rackwright-docs-ironic');
  const credentials = { username: 'rackwright', password: 'of-this-run-only' };
  let ironic: Ironic;
  let desk: Desk;
  before(async () => {
    ironic = scratch.keep(
      await startIronic({ dataDir: scratch.folder('ironic'), port: await freePortRange(1), credentials }),
    );
    desk = { folder: scratch.folder('desk'), env: { RACKWRIGHT_PORT: '0', RACKWRIGHT_SIMULATE: '0' } };
    mkdirSync(desk.folder);
    writeFileSync(join(desk.folder, 'login'), `${credentials.username}:${credentials.password}\n`, { mode: 0o600 });
    writeFileSync(join(desk.folder, 'host.yaml'), host);
  });
  after(() => scratch.end());

  typePages(blocksFor(import.meta.filename), {
    'npx rackwright up --ironic-url': {
      differences: () => ({ 'https://ironic.example:6385': ironic.url, FILE: 'login' }),
      type: async (lines) => {
        const up = startLines(desk, lines);
        try {
          await up.until('Ctrl-C stops it');
          await typeLines(desk, 'rackwright apply -f host.yaml');
          const node = await until({
            what: 'Ironic knows the host',
            timeoutMs: 120_000,
            look: async () => (await nodes()).find(({ name }) => name === 'default~mine'),
            detail: up.printed,
          });
          assert.equal(node.driver_info.deploy_kernel, 'http://images.example/ipa.kernel');
          assert.equal(node.driver_info.deploy_ramdisk, 'http://images.example/ipa.initramfs');
        } finally {
          assert.equal(await up.stop(), 0, up.printed());
        }
      },
    },
  });

  async function nodes(): Promise<readonly (IronicNode & { readonly driver_info: Record<string, unknown> })[]> {
    const answer = (await ironic.api('GET', '/v1/nodes?detail=True')) as { nodes: [] };
    return answer.nodes;
  }
});
