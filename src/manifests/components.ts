import type { Condition } from './condition.ts';
import { type Rights, rights } from './rights.ts';
import { Optional, type Template, text, value } from './template.ts';

/** The namespace of the installation. */
export const home = 'rackwright-system';

/** Where components say whether they work. */
export const statusPort = 7448;

/** One Deployment and all that it needs. */
export interface Component {
  readonly name: ComponentName;
  readonly about: string;
  /** The words after `rackwright`. */
  readonly words: readonly string[];
  /** When it is installed at all. */
  readonly when: Condition | undefined;
  /** The models in which every tenant has one of their own, rather than all of them one. */
  readonly perTenantIn: readonly ('limited' | 'full')[];
  readonly rights: Rights;
  /** Settings by the names of their environment variables. */
  readonly env: readonly Template[];
  readonly files: readonly MountedSecret[];
  /** What it has to reach besides API servers and DNS. */
  readonly reaches: 'anything' | 'api-servers';
}

/** The name of a component. */
export type ComponentName = keyof typeof rights;

/** A key of a Secret as a file. */
export interface MountedSecret {
  readonly folder: string;
  /** Where the name of the Secret is among the values. */
  readonly path: string;
  readonly env: string;
  readonly key: string;
}

const plain = (name: string, path: string): Template => new Optional({ is: path }, { name, value: value(path) });

const databaseFile: MountedSecret = {
  folder: 'database',
  path: 'database.urlSecret',
  env: 'RACKWRIGHT_DATABASE_URL_FILE',
  key: 'url',
};

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
    ],
    files: [
      databaseFile,
      { folder: 'ironic-auth', path: 'hosts.ironicAuthSecret', env: 'RACKWRIGHT_IRONIC_AUTH_FILE', key: 'auth' },
      { folder: 'ironic-ca', path: 'hosts.ironicCaSecret', env: 'RACKWRIGHT_IRONIC_CA', key: 'ca.crt' },
    ],
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
    reaches: 'api-servers',
  },
  {
    name: 'firmware',
    about: 'Reads BMCs, makes Servers of them, and asks the update service for what is missing on them.',
    words: ['controllers', '--only', 'firmware'],
    when: { is: 'firmware.updateServiceUrl' },
    perTenantIn: [],
    rights: rights.firmware,
    env: [
      { name: 'RACKWRIGHT_UPDATE_SERVICE_URL', value: value('firmware.updateServiceUrl') },
      { name: 'RACKWRIGHT_TOKEN_FILE', value: '/var/run/secrets/kubernetes.io/serviceaccount/token' },
    ],
    files: [
      databaseFile,
      { folder: 'update-service-ca', path: 'firmware.updateServiceCaSecret', env: 'RACKWRIGHT_CA_FILE', key: 'ca.crt' },
    ],
    reaches: 'anything',
  },
];
