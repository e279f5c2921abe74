import { isIP } from 'node:net';
import { type BMC, type BMCSecret, ironcoreApiVersion, ironcoreGroup, ironcoreVersion } from '../../api/index.ts';
import { parseBmcAddress, tryParseBmcAddress } from '../../bmc/index.ts';
import type { FleetPlane } from '../../conditionorc/index.ts';
import { isNotFound, type KubeClient, type ResourceRef } from '../../kube/index.ts';
import type { Logger } from '../../telemetry/index.ts';

const refOf = (resource: string, kind: string): ResourceRef => ({
  group: ironcoreGroup,
  version: ironcoreVersion,
  resource,
  kind,
  namespaced: false,
});

/** What was made by enrolling over REST carries it, with the id of the server; nothing else is ever taken away. */
const enrolledLabel = 'rackwright.io/enrolled-server';

/** Shows BMCs of servers that were enrolled over REST as objects of a Kubernetes API. */
export function createBmcObjects(client: KubeClient, logger: Logger): FleetPlane {
  const bmcs = client.resource<BMC>(refOf('bmcs', 'BMC'));
  const secrets = client.resource<BMCSecret>(refOf('bmcsecrets', 'BMCSecret'));
  const nameOf = (serverId: string): string => `server-${serverId}`;
  return {
    async bmcEnrolled({ id, bmc }) {
      const { host, port, isTls, bmc: key } = parseBmcAddress(bmc.address);
      if (isIP(host) === 0) {
        // An object names an address, and a name may have another one tomorrow.
        logger.warn('the BMC of an enrolled server is known by name only, and is not shown as an object', { id, host });
        return;
      }
      const { items } = await bmcs.list();
      const isThere = items.some(({ spec }) => isAt(spec, key));
      if (isThere) return;
      const metadata = { name: nameOf(id), labels: { [enrolledLabel]: id } };
      const data = { username: base64(bmc.username), password: base64(bmc.password) };
      await secrets.apply({ apiVersion: ironcoreApiVersion, kind: 'BMCSecret', metadata, data }, applying);
      const protocol = { name: 'Redfish', port, scheme: isTls ? 'https' : 'http' } as const;
      const spec = { access: { ip: host }, bmcSecretRef: { name: nameOf(id) }, protocol };
      await bmcs.apply({ apiVersion: ironcoreApiVersion, kind: 'BMC', metadata, spec }, applying);
    },
    async bmcRemoved(id) {
      for (const resource of [bmcs, secrets]) {
        const found = await resource.get({ name: nameOf(id) }).catch(orMissing);
        if (found?.metadata.labels?.[enrolledLabel] !== id) continue;
        await resource.delete({ name: nameOf(id) }).catch(orMissing);
      }
    },
  };
}

function isAt({ access, protocol }: BMC['spec'], key: string): boolean {
  if (access === undefined) return false;
  const host = access.ip.includes(':') && !access.ip.startsWith('[') ? `[${access.ip}]` : access.ip;
  return tryParseBmcAddress(`${host}:${protocol.port}`)?.bmc === key;
}

const applying = { fieldManager: 'rackwright-enrolment', isForced: true } as const;

function orMissing(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
  return undefined;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
