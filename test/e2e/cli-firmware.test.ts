import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startApiServer } from '../../src/apiserver/index.ts';
import { createFirmwareAdmission } from '../../src/firmware/index.ts';
import { openApi } from '../../src/firmware/testing/rig.ts';
import { inProcessAdmission } from '../../src/kube/index.ts';
import { runFirmwareCommandsContract } from './cli-firmware-contract.ts';
import { temporaryFolder } from './cli-fixture.ts';

const open = async () => {
  const folder = temporaryFolder();
  const admission = createFirmwareAdmission();
  const server = await startApiServer({
    dataDir: join(folder.path, 'data'),
    port: 0,
    admission: inProcessAdmission(admission.rules).hooks,
  });
  const { url, caPem, adminToken } = server;
  const api = await openApi({ server: url, caPem, token: adminToken });
  const kubeconfig = join(folder.path, 'kubeconfig');
  const cluster = { server: url, 'certificate-authority-data': Buffer.from(caPem).toString('base64') };
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { token: adminToken } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  );
  return {
    kubeconfig,
    api,
    admission,
    async close() {
      await api.close();
      await server.close();
      folder.remove();
    },
  };
};

runFirmwareCommandsContract('the embedded API server', open, { isAdmissionAsked: true });
