import assert from 'node:assert/strict';
import { createSteppedClock, startDataCentre } from '../../simulator/index.ts';
import { openRackMachines } from '../../src/cli/hosts/rack-machines.ts';
import { describeProvisionerContract } from '../../src/provisioners/contract/index.ts';
import { createDemoProvisioners, type Provisioners, type ReachedHost } from '../../src/provisioners/index.ts';

/** A look at a machine finds it a simulated second later. */
const pollMs = 1000;

describeProvisionerContract({
  name: 'the demo with the servers of a simulated rack behind its hosts',
  // Nobody logs in: servers of the rack are found by the address of their BMC.
  canRefuseCredentials: false,
  canChangePassword: false,
  canRestart: true,
  canUpdateFirmware: false,
  connect: async () => {
    const clock = createSteppedClock();
    const dataCentre = await startDataCentre({ seed: 7, servers: 2, clock });
    const [, bmc] = dataCentre.bmcs;
    assert.ok(bmc);
    const { machine } = bmc;
    const ports = machine.hardware.nics.flatMap((nic) => nic.ports);
    const host: ReachedHost = {
      namespace: 'simulated',
      name: bmc.name,
      bmc: { address: `redfish-virtualmedia+${bmc.url}${bmc.systemPath}`, isCertificateUnchecked: true },
      bootMacAddress: ports[0]?.mac ?? '',
      isPowerOffDisabled: false,
    };
    const open = () => createDemoProvisioners({ machineOf: openRackMachines(dataCentre), pollMs });
    let demo = open();
    const provisioners: Provisioners = {
      of: (each) => demo.of(each),
      hasCapacity: (each) => demo.hasCapacity(each),
      bootImageFormats: undefined,
      close: () => demo.close(),
    };
    return {
      provisioners,
      host,
      pause: (afterMs) => clock.advance(afterMs),
      look: {
        isPoweredOn: async () => machine.power.state === 'On',
        bios: async (name) => machine.bios.current[name],
      },
      expected: {
        ramMebibytes: machine.hardware.dimms.reduce((sum, { capacityMib }) => sum + capacityMib, 0),
        macs: ports.map(({ mac }) => mac.toLowerCase()),
        cpus: machine.hardware.processors.reduce((sum, { threads }) => sum + threads, 0),
      },
      deployment: { image: { url: 'http://files/image.qcow2', checksum: 'abc' }, bootMode: 'UEFI' },
      restart: async () => {
        demo = open();
      },
      close: async () => {
        await demo.close();
        await dataCentre.close();
      },
    };
  },
});
