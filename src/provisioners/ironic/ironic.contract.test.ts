import { describeProvisionerContract } from '../contract/index.ts';
import { createIronicProvisioners } from './index.ts';
import { createFakeBmc, startFakeIronic } from './testing/index.ts';

describeProvisionerContract({
  name: 'a fake Ironic',
  canRefuseCredentials: true,
  canChangePassword: true,
  canRestart: true,
  canUpdateFirmware: true,
  hasVirtualDrive: true,
  connect: async () => {
    const bmc = createFakeBmc(1);
    const credentials = { username: 'ironic', password: 'ironic-password' };
    const ironic = await startFakeIronic({ bmcs: [bmc], credentials });
    const provisioners = createIronicProvisioners({ url: ironic.url, credentials });
    const [bootMacAddress] = bmc.macs;
    return {
      provisioners,
      host: {
        namespace: 'metal3',
        name: 'host-1',
        bmc: {
          address: `redfish+${bmc.redfishAddress}${bmc.systemPath}`,
          isCertificateUnchecked: false,
          credentials: { username: bmc.username, password: bmc.password },
        },
        bootMacAddress,
        isPowerOffDisabled: false,
      },
      pause: async () => {},
      look: {
        isPoweredOn: async () => bmc.isOn,
        bios: async (name) => bmc.bios.get(name),
      },
      expected: { ramMebibytes: 16_384, macs: bmc.macs, cpus: 4 },
      deployment: {
        image: { url: 'http://files/image.qcow2', checksum: 'abc', checksumType: 'sha256', format: 'qcow2' },
        bootMode: 'UEFI',
      },
      config: { userData: '#cloud-config\n', metaData: 'role: worker\n', networkData: '{"links": []}' },
      update: { component: 'bios', url: 'http://files/bios-1.1.0', version: '1.1.0' },
      wrongCredentials: { username: bmc.username, password: 'not-the-password' },
      restart: async () => {
        await ironic.stop();
        await ironic.start();
      },
      changePassword: async () => {
        bmc.password = 'another-password';
        return bmc.password;
      },
      close: async () => {
        await provisioners.close();
        await ironic.stop();
      },
    };
  },
});
