import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { openSqliteDatabase } from '../../src/engine/index.ts';
import { systemClock } from '../../src/kube/index.ts';
import { serveImage } from '../../src/provisioners/agent/testing/simulated-machine.ts';
import { describeProvisionerContract } from '../../src/provisioners/contract/index.ts';
import { fixedBootTokens, openAgents } from '../../src/provisioners/index.ts';
import { createFixedAuthorizer, createRest } from '../../src/rest/index.ts';
import { startRedfishRig } from './redfish-rig.ts';

const token = 'a-boot-token-of-the-tests';

describeProvisionerContract({
  name: 'a simulated BMC that starts an agent for the disk',
  canRefuseCredentials: true,
  canChangePassword: true,
  canRestart: false,
  canUpdateFirmware: true,
  hasVirtualDrive: true,
  async connect() {
    const rig = await startRedfishRig('openbmc');
    const { machine } = rig.bmc;
    const database = await openSqliteDatabase({ path: ':memory:', clock: systemClock });
    const agents = await openAgents({ database, bootTokens: fixedBootTokens(token), beside: rig.provisioners });
    const info = { title: 'agents', description: 'For agents.', version: '1' };
    const rest = createRest({ info, authorizer: createFixedAuthorizer({}) });
    rest.add(...agents.routes);
    const { url } = await rest.listen({ host: '127.0.0.1', port: 0 });
    rig.setAgent({ kind: 'rackwright', url: `${url}/agents`, token });
    const image = await serveImage();
    const { dimms, processors, nics } = machine.hardware;
    return {
      provisioners: agents.allHosts,
      host: { ...rig.host, uid: 'uid-1' },
      update: rig.update,
      pause: () => delay(20),
      look: {
        isPoweredOn: async () => machine.power.state === 'On',
        bios: async (name) => machine.bios.current[name],
      },
      expected: {
        ramMebibytes: dimms.reduce((sum, { capacityMib }) => sum + capacityMib, 0),
        macs: nics.flatMap(({ ports }) => ports.map(({ mac }) => mac.toLowerCase())),
        cpus: processors.reduce((sum, { threads }) => sum + threads, 0),
      },
      deployment: {
        image: { url: image.url, checksum: image.sha256, checksumType: 'sha256', format: 'raw' },
        bootMode: 'UEFI',
      },
      config: { userData: '#cloud-config\n' },
      wrongCredentials: { username: rig.bmc.username, password: 'not-the-password' },
      changePassword: async () => {
        assert.ok(machine.accounts.change(rig.bmc.username, { password: 'Another-Passw0rd' }));
        return 'Another-Passw0rd';
      },
      async close() {
        agents.close();
        await rest.close();
        await rig.close();
        await image.close();
        await database.close();
      },
    };
  },
});
