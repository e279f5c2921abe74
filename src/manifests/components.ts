import { type Component, home, plain, statusPort, yes } from './component.ts';
import { bmcCaFile, databaseFiles, secretFile, updateServiceCaFiles } from './mounted-files.ts';
import { rights } from './rights.ts';
import { Optional, text, value } from './template.ts';
import { updateService, updateServiceUrl } from './update-service.ts';
import { isUpdateServiceEnabled } from './update-service-values.ts';

/** What components have that nobody calls. */
const uncalled = { port: statusPort, openPorts: [], callers: [] } as const;

/** All components. */
export const components: readonly Component[] = [
  {
    name: 'webhooks',
    about: 'Answers the API server: may this be written, and how does it look in another version.',
    words: ['webhooks'],
    when: undefined,
    perTenantIn: [],
    rights: rights.webhooks,
    env: [
      { name: 'RACKWRIGHT_PORT', value: text('webhooks.port') },
      { name: 'RACKWRIGHT_WEBHOOK_SERVICE', value: `${home}/rackwright-webhooks` },
    ],
    files: [],
    ...uncalled,
    openPorts: [{ name: 'webhooks', number: value('webhooks.port') }],
    reaches: 'api-servers',
  },
  {
    name: 'hosts',
    about: 'Brings BareMetalHosts through their life with Ironic, and makes hosts of machines that it discovers.',
    words: ['controllers', '--only', 'hosts'],
    when: { is: 'hosts.ironicUrl' },
    perTenantIn: ['full'],
    rights: rights.hosts,
    env: [
      { name: 'RACKWRIGHT_IRONIC_URL', value: value('hosts.ironicUrl') },
      plain('RACKWRIGHT_IRONIC_KERNEL', 'hosts.ironicKernel'),
      plain('RACKWRIGHT_IRONIC_RAMDISK', 'hosts.ironicRamdisk'),
      plain('RACKWRIGHT_IRONIC_ISO', 'hosts.ironicIso'),
      yes('RACKWRIGHT_ALLOW_UNVERIFIED_FIRMWARE', 'firmware.allowUnverified'),
    ],
    files: [
      ...databaseFiles,
      secretFile({ folder: 'ironic-auth', path: 'hosts.ironicAuthSecret' }, 'RACKWRIGHT_IRONIC_AUTH_FILE', 'auth'),
      secretFile({ folder: 'ironic-ca', path: 'hosts.ironicCaSecret' }, 'RACKWRIGHT_IRONIC_CA', 'ca.crt'),
    ],
    ...uncalled,
    reaches: 'anything',
  },
  {
    name: 'network',
    about: 'Sets the ports of switches.',
    words: ['controllers', '--only', 'network'],
    when: { is: 'network.enabled' },
    perTenantIn: ['full'],
    rights: rights.network,
    env: [],
    files: [],
    ...uncalled,
    reaches: 'anything',
  },
  {
    name: 'machines',
    about: 'Gives hosts to Metal3Machines, and is a small Cluster API where there is no other.',
    words: ['controllers', '--only', 'machines'],
    when: { is: 'machines.enabled' },
    perTenantIn: ['limited', 'full'],
    rights: rights.machines,
    env: [],
    files: [],
    ...uncalled,
    reaches: 'api-servers',
  },
  {
    name: 'firmware',
    about: 'Reads BMCs, makes Servers of them, and asks the update service for what is missing on them.',
    words: ['controllers', '--only', 'firmware'],
    when: { any: [{ is: 'firmware.updateServiceUrl' }, isUpdateServiceEnabled] },
    perTenantIn: [],
    rights: rights.firmware,
    env: [
      plain('RACKWRIGHT_UPDATE_SERVICE_URL', 'firmware.updateServiceUrl'),
      new Optional(isUpdateServiceEnabled, { name: 'RACKWRIGHT_UPDATE_SERVICE_URL', value: updateServiceUrl }),
      // Servers are in the facility that it works on.
      new Optional(isUpdateServiceEnabled, { name: 'RACKWRIGHT_FACILITY', value: value('updateService.facility') }),
      { name: 'RACKWRIGHT_TOKEN_FILE', value: '/var/run/secrets/kubernetes.io/serviceaccount/token' },
      yes('RACKWRIGHT_BMC_INSECURE', 'firmware.bmcInsecure'),
      yes('RACKWRIGHT_BMC_HTTP', 'firmware.bmcHttp'),
      yes('RACKWRIGHT_ALLOW_UNVERIFIED_FIRMWARE', 'firmware.allowUnverified'),
    ],
    files: [...databaseFiles, bmcCaFile, ...updateServiceCaFiles],
    ...uncalled,
    reaches: 'anything',
  },
  updateService,
];
