import type { Condition } from './condition.ts';
import { isUpdateServiceEnabled } from './update-service-values.ts';

/** Keys of a Secret or of a ConfigMap as files; others of its keys are not seen by the pod. */
export interface MountedFile {
  readonly folder: string;
  /** Where the name of the object is among the values. */
  readonly path: string;
  readonly kind: 'secret' | 'configMap';
  /** Keys by the environment variables that say where their files are. */
  readonly variables: Readonly<Record<string, string>>;
  /** When it is mounted, if not wherever the object is named. */
  readonly when?: Condition;
}

type Where = Pick<MountedFile, 'folder' | 'path'>;

/** One key of a Secret. */
export function secretFile(where: Where, env: string, key: string): MountedFile {
  return { ...where, kind: 'secret', variables: { [env]: key } };
}

/** One key of a ConfigMap. */
export function configFile(where: Where, env: string, key: string): MountedFile {
  return { ...where, kind: 'configMap', variables: { [env]: key } };
}

/** What every process on the database needs. */
export const databaseFiles: readonly MountedFile[] = [
  secretFile({ folder: 'database', path: 'database.urlSecret' }, 'RACKWRIGHT_DATABASE_URL_FILE', 'url'),
  secretFile(
    { folder: 'credential-keys', path: 'database.credentialKeysSecret' },
    'RACKWRIGHT_CREDENTIAL_KEYS',
    'credentials.key',
  ),
  secretFile({ folder: 'nats', path: 'nats.urlSecret' }, 'RACKWRIGHT_NATS_URL_FILE', 'url'),
  secretFile({ folder: 'nats-creds', path: 'nats.credsSecret' }, 'RACKWRIGHT_NATS_CREDS', 'nats.creds'),
  secretFile({ folder: 'nats-ca', path: 'nats.caSecret' }, 'RACKWRIGHT_NATS_CA', 'ca.crt'),
];

/** What BMCs are checked against. */
export const bmcCaFile = secretFile({ folder: 'bmc-ca', path: 'firmware.bmcCaSecret' }, 'RACKWRIGHT_BMC_CA', 'ca.crt');

/** What the update service is checked against: one elsewhere, or that of the installation. */
export const updateServiceCaFiles: readonly MountedFile[] = [
  secretFile({ folder: 'update-service-ca', path: 'firmware.updateServiceCaSecret' }, 'RACKWRIGHT_CA_FILE', 'ca.crt'),
  {
    ...secretFile({ folder: 'update-service-ca', path: 'updateService.tlsSecret' }, 'RACKWRIGHT_CA_FILE', 'ca.crt'),
    when: isUpdateServiceEnabled,
  },
];
