import { openSqliteDatabase } from '../../engine/index.ts';
import { sleep, systemClock } from '../../kube/index.ts';
import { createFixedAuthorizer, createRest, type Rest } from '../../rest/index.ts';
import { describeProvisionerContract } from '../contract/index.ts';
import type { HostIdentity, Provisioner, Provisioners } from '../provisioner.ts';
import { type Agents, fixedBootTokens, openAgents } from './index.ts';
import { serveImage, startMachine } from './testing/simulated-machine.ts';
import { bootToken } from './testing/started-agents.ts';

const info = { title: 'agents', description: 'For agents.', version: '1' };

describeProvisionerContract({
  name: 'an agent of a simulated host without a BMC',
  canRefuseCredentials: false,
  canChangePassword: false,
  canRestart: false,
  canUpdateFirmware: false,
  canSwitchPower: false,
  canChangeSettings: false,
  connect: async () => {
    const database = await openSqliteDatabase({ path: ':memory:', clock: systemClock });
    const image = await serveImage();
    let agents: Agents;
    let rest: Rest;
    const open = async (port: number): Promise<{ readonly url: string; readonly port: number }> => {
      agents = await openAgents({ database, bootTokens: fixedBootTokens(bootToken) });
      rest = createRest({ info, authorizer: createFixedAuthorizer({}) });
      rest.add(...agents.routes);
      // Connections, and servers of other tests, have 127.0.0.1: here the port stays free while nobody listens.
      return rest.listen({ host: '127.0.0.2', port });
    };
    const shut = async (): Promise<void> => {
      agents.close();
      await rest.close();
    };
    const { url, port } = await open(0);
    const machine = await startMachine({ url: `${url}/agents`, token: bootToken });
    machine.bootFromNetwork();
    const of = (host: HostIdentity): Provisioner => {
      const it = agents.provisioners.of(host);
      return {
        ...it,
        // Every call may be the last one of a process: whatever is under way goes on in another one.
        async provision(order) {
          const outcome = await it.provision(order);
          if (outcome.kind === 'continue' && outcome.hasStarted === true) {
            await shut();
            await open(port);
          }
          return outcome;
        },
        // Nobody can start the agent from here, so somebody goes there and does.
        async deprovision(order) {
          const outcome = await it.deprovision(order);
          if (outcome.kind === 'busy' && machine.host.running === 'deployed image') machine.bootFromNetwork();
          return outcome;
        },
      };
    };
    const provisioners: Provisioners = {
      of,
      hasCapacity: (host) => agents.provisioners.hasCapacity(host),
      bootImageFormats: undefined,
      close: () => agents.provisioners.close(),
    };
    const { processors, dimms } = machine.host.machine.hardware;
    return {
      provisioners,
      host: {
        ...{ namespace: 'metal3', name: 'host-1', uid: 'uid-1', isPowerOffDisabled: false },
        bmc: { address: '', isCertificateUnchecked: false },
        bootMacAddress: machine.macs[0],
      },
      pause: () => sleep(systemClock, 50),
      expected: {
        ramMebibytes: dimms.reduce((sum, { capacityMib }) => sum + capacityMib, 0),
        macs: machine.macs,
        cpus: processors.reduce((sum, { threads }) => sum + threads, 0),
      },
      deployment: {
        image: { url: image.url, checksum: image.sha256, checksumType: 'sha256', format: 'raw' },
        bootMode: 'UEFI',
      },
      config: { userData: '#cloud-config\n', metaData: 'role: worker\n', networkData: '{"links": []}' },
      close: async () => {
        await machine.dataCentre.close();
        await shut();
        await image.close();
        await database.close();
      },
    };
  },
});
