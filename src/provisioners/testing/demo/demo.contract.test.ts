import { describeProvisionerContract } from '../../contract/index.ts';
import type { Provisioners, ReachedHost } from '../../provisioner.ts';
import { createDemoProvisioners, type DemoPace } from './index.ts';

const host: ReachedHost = {
  namespace: 'metal3',
  name: 'host-1',
  bmc: { address: 'redfish://10.0.0.1', isCertificateUnchecked: false },
  bootMacAddress: '52:54:00:00:00:01',
  isPowerOffDisabled: false,
};

function describeDemo(name: string, pace: DemoPace): void {
  describeProvisionerContract({
    name,
    canRefuseCredentials: false,
    canChangePassword: false,
    // What is done by the call that asks for it has no middle.
    canRestart: pace.kind !== 'instant',
    canUpdateFirmware: true,
    hasVirtualDrive: true,
    connect: async () => {
      let demo = createDemoProvisioners({ pace });
      const provisioners: Provisioners = {
        of: (each) => demo.of(each),
        hasCapacity: (each) => demo.hasCapacity(each),
        bootImageFormats: undefined,
        close: () => demo.close(),
      };
      return {
        provisioners,
        host,
        pause: async () => {},
        expected: { ramMebibytes: 131_072, macs: ['52:54:00:00:00:01'], cpus: 32 },
        deployment: { image: { url: 'http://files/image.qcow2', checksum: 'abc' }, bootMode: 'UEFI' },
        update: { component: 'bios', url: 'http://files/bios-1.1.0.bin', version: '1.1.0' },
        restart: async () => {
          demo = createDemoProvisioners({ pace });
        },
        close: () => demo.close(),
      };
    },
  });
}

describeDemo('a demo whose steps are done at once', { kind: 'instant' });
describeDemo('a demo whose steps take three looks', { kind: 'calls', count: 3 });
