import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { describeProvisionerContract } from '../../src/provisioners/contract/index.ts';
import { startRedfishRig } from './redfish-rig.ts';

describeProvisionerContract({
  name: 'a simulated BMC, without an Ironic',
  canRefuseCredentials: true,
  canChangePassword: true,
  canRestart: false,
  canUpdateFirmware: true,
  async connect() {
    const { bmc, provisioners, host, update, close } = await startRedfishRig('openbmc');
    const { machine } = bmc;
    const { dimms, processors, nics } = machine.hardware;
    return {
      provisioners,
      host,
      update,
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
      deployment: { image: { url: 'http://127.0.0.1:9/live.iso', format: 'live-iso' }, bootMode: 'UEFI' },
      wrongCredentials: { username: bmc.username, password: 'not-the-password' },
      changePassword: async () => {
        assert.ok(machine.accounts.change(bmc.username, { password: 'Another-Passw0rd' }));
        return 'Another-Passw0rd';
      },
      close,
    };
  },
});
