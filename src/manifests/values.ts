import { Ajv, type ErrorObject } from 'ajv';
import { type Static, Type } from 'typebox';
import { type Condition, holds } from './condition.ts';
import { ValuesError } from './errors.ts';
import { updateServiceChecks, updateServiceDefaults, updateServiceSchema } from './update-service-values.ts';
import { anything, closed, httpUrl, objectName, oneOf, secretName, text } from './value-types.ts';

/** What an installation is made of. The chart has it as values.schema.json. */
export const valuesSchema = Type.Object(
  {
    image: Type.Object(
      {
        repository: text('where the image is'),
        tag: text('which of them'),
        pullPolicy: oneOf(['IfNotPresent', 'Always', 'Never'], 'when nodes fetch it'),
      },
      closed,
    ),
    imagePullSecrets: Type.Array(Type.Object({ name: text('of a Secret', objectName) }, closed)),
    replicas: Type.Integer({
      minimum: 1,
      maximum: 20,
      description: 'of each component; one works, the others stand by; of webhooks and update services all work',
    }),
    logLevel: oneOf(['debug', 'info', 'warn', 'error'], 'what is logged'),
    resources: anything('requests and limits of each container'),
    nodeSelector: Type.Record(Type.String(), Type.String(), { description: 'labels of nodes that may run it' }),
    tolerations: Type.Array(anything('a toleration')),
    tenancy: Type.Object(
      {
        model: oneOf(
          ['none', 'limited', 'full'],
          'none: one set of controllers for all namespaces; limited: machine controllers per tenant; full: all controllers per tenant',
        ),
        tenants: Type.Array(text('a namespace', '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'), { uniqueItems: true }),
      },
      closed,
    ),
    crds: Type.Object({ install: Type.Boolean({ description: 'also the definitions of the kinds' }) }, closed),
    webhooks: Type.Object(
      {
        port: Type.Integer({ minimum: 1024, maximum: 65_535, description: 'of the Service and of the process' }),
        certificates: oneOf(['own', 'cert-manager'], 'who makes them'),
      },
      closed,
    ),
    networkPolicies: Type.Object(
      {
        enabled: Type.Boolean(),
        metricsFrom: anything('labels of the namespaces whose pods may read metrics'),
        egressPorts: Type.Array(anything('a port'), { description: 'of API servers and of DNS' }),
      },
      closed,
    ),
    hosts: Type.Object(
      {
        ironicUrl: text(
          'of the Ironic that provisions BareMetalHosts; without it their controllers are not installed',
          httpUrl,
        ),
        ironicAuthSecret: secretName('whose key "auth" holds user:password'),
        ironicCaSecret: secretName('whose key "ca.crt" holds what Ironic is checked against'),
        ironicKernel: text('URL of the kernel that hosts are booted with'),
        ironicRamdisk: text('URL of the ramdisk for it'),
        ironicIso: text('URL of the same as an ISO'),
      },
      closed,
    ),
    network: Type.Object({ enabled: Type.Boolean({ description: 'controllers of switches and their ports' }) }, closed),
    machines: Type.Object({ enabled: Type.Boolean({ description: 'controllers of Metal3Machines' }) }, closed),
    firmware: Type.Object(
      {
        updateServiceUrl: text(
          'of an update service elsewhere that firmware controllers ask; without it and updateService.enabled they are not installed',
          httpUrl,
        ),
        updateServiceCaSecret: secretName('whose key "ca.crt" holds what it is checked against'),
        bmcCaSecret: secretName('whose key "ca.crt" holds what BMCs are checked against'),
        bmcInsecure: Type.Boolean({
          description: 'take any certificate of a BMC: whoever is on the way to it can read its password',
        }),
        bmcHttp: Type.Boolean({
          description:
            'speak plain HTTP to BMCs whose address says http: whoever is on the way can read their passwords',
        }),
        egressHosts: Type.String({
          description: 'hosts that images and catalogues may be at, separated by commas; see --egress-hosts',
          pattern: '^[0-9A-Za-z.:/*,_-]*$',
        }),
        allowUnverified: Type.Boolean({ description: 'take firmware that comes without a checksum' }),
      },
      closed,
    ),
    updateService: updateServiceSchema,
    database: Type.Object(
      {
        urlSecret: secretName('whose key "url" holds the URL of the database that all share'),
        credentialKeysSecret: secretName('whose key "credentials.key" encrypts credentials of BMCs in the database'),
      },
      closed,
    ),
    nats: Type.Object(
      {
        urlSecret: secretName(
          'whose key "url" holds the URL of the NATS by which pods on one database wake each other',
        ),
        credsSecret: secretName('whose key "nats.creds" is logged in with'),
        caSecret: secretName('whose key "ca.crt" holds what NATS is checked against'),
      },
      closed,
    ),
  },
  closed,
);

/** Values of an installation. */
export type Values = Static<typeof valuesSchema>;

/** What holds unless somebody says otherwise. */
export function defaultValues(version: string): Values {
  return {
    image: { repository: 'rackwright', tag: version, pullPolicy: 'IfNotPresent' },
    imagePullSecrets: [],
    replicas: 2,
    logLevel: 'info',
    resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '1Gi' } },
    nodeSelector: {},
    tolerations: [],
    tenancy: { model: 'none', tenants: [] },
    crds: { install: true },
    webhooks: { port: 9443, certificates: 'own' },
    networkPolicies: {
      enabled: true,
      metricsFrom: { 'kubernetes.io/metadata.name': 'monitoring' },
      egressPorts: [
        { protocol: 'TCP', port: 443 },
        { protocol: 'TCP', port: 6443 },
        { protocol: 'UDP', port: 53 },
        { protocol: 'TCP', port: 53 },
      ],
    },
    hosts: {
      ironicUrl: '',
      ironicAuthSecret: '',
      ironicCaSecret: '',
      ironicKernel: '',
      ironicRamdisk: '',
      ironicIso: '',
    },
    network: { enabled: true },
    machines: { enabled: true },
    firmware: {
      updateServiceUrl: '',
      updateServiceCaSecret: '',
      bmcCaSecret: '',
      bmcInsecure: false,
      bmcHttp: false,
      egressHosts: '',
      allowUnverified: false,
    },
    updateService: structuredClone(updateServiceDefaults),
    database: { urlSecret: '', credentialKeysSecret: '' },
    nats: { urlSecret: '', credsSecret: '', caSecret: '' },
  };
}

/** What cannot be meant though each value is fine by itself; the chart refuses it too. */
export const valueChecks: readonly { readonly when: Condition; readonly message: string }[] = [
  {
    when: { all: [{ not: { equals: ['tenancy.model', 'none'] } }, { not: { is: 'tenancy.tenants' } }] },
    message:
      'tenancy.tenants is empty: name the namespaces that controllers are to run for, or take tenancy.model none',
  },
  {
    when: { all: [{ equals: ['tenancy.model', 'none'] }, { is: 'tenancy.tenants' }] },
    message: 'tenancy.tenants is of no use with tenancy.model none: take limited or full, or name no tenants',
  },
  {
    when: { all: [{ is: 'hosts.ironicKernel' }, { not: { is: 'hosts.ironicRamdisk' } }] },
    message: 'hosts.ironicKernel goes with hosts.ironicRamdisk',
  },
  {
    when: { all: [{ is: 'hosts.ironicRamdisk' }, { not: { is: 'hosts.ironicKernel' } }] },
    message: 'hosts.ironicRamdisk goes with hosts.ironicKernel',
  },
  {
    when: { all: [{ is: 'firmware.bmcCaSecret' }, { is: 'firmware.bmcInsecure' }] },
    message: 'firmware.bmcCaSecret and firmware.bmcInsecure contradict each other',
  },
  {
    when: {
      all: [
        { any: [{ is: 'firmware.updateServiceUrl' }, { is: 'updateService.enabled' }] },
        { is: 'database.urlSecret' },
        { not: { is: 'database.credentialKeysSecret' } },
      ],
    },
    message:
      'database.urlSecret goes with database.credentialKeysSecret: credentials of BMCs are encrypted in the database, and a pod that is gone takes a key of its own with it',
  },
  {
    when: { all: [{ is: 'nats.urlSecret' }, { not: { is: 'database.urlSecret' } }] },
    message: 'nats.urlSecret goes with database.urlSecret: without a database there is nothing to wake each other for',
  },
  {
    when: { all: [{ any: [{ is: 'nats.credsSecret' }, { is: 'nats.caSecret' }] }, { not: { is: 'nats.urlSecret' } }] },
    message: 'nats.credsSecret and nats.caSecret go with nats.urlSecret',
  },
  ...updateServiceChecks,
];

const check = new Ajv({ allErrors: true }).compile(valuesSchema);

/** The defaults with what somebody says otherwise; throws a ValuesError that names each fault. */
export function readValues(given: unknown, version: string): Values {
  const values = mergeValues(defaultValues(version), given ?? {});
  if (!check(values)) throw new ValuesError((check.errors ?? []).map(describe));
  const faults = valueChecks.filter(({ when }) => holds(when, values)).map(({ message }) => message);
  if (faults.length > 0) throw new ValuesError(faults);
  return values as Values;
}

function describe({ instancePath, message, params }: ErrorObject): string {
  const path = instancePath.slice(1).replaceAll('/', '.');
  if (typeof params.additionalProperty === 'string') {
    return `${path === '' ? '' : `${path}.`}${params.additionalProperty}: there is no such value`;
  }
  const allowed = Array.isArray(params.allowedValues) ? `: ${params.allowedValues.join(', ')}` : '';
  return `${path === '' ? 'the values' : path} ${message ?? 'cannot be used'}${allowed}`;
}

/** Objects are merged, everything else is replaced; as Helm does it. */
export function mergeValues(base: unknown, over: unknown): unknown {
  if (over === null || over === undefined) return base;
  if (!isObject(base) || !isObject(over)) return over;
  const keys = new Set([...Object.keys(base), ...Object.keys(over)]);
  return Object.fromEntries([...keys].map((key) => [key, key in over ? mergeValues(base[key], over[key]) : base[key]]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets one value as `a.b=c` says it; `[x,y]` and `{...}` are read as JSON, numbers and yes-or-no as what they are. */
export function setValue(values: Record<string, unknown>, assignment: string): Record<string, unknown> {
  const at = assignment.indexOf('=');
  if (at < 1) throw new ValuesError([`--set ${assignment}: path=value is needed, such as tenancy.model=limited`]);
  const value = readScalar(assignment.slice(at + 1));
  const one = assignment
    .slice(0, at)
    .split('.')
    .reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  return mergeValues(values, one) as Record<string, unknown>;
}

function readScalar(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^(0|[1-9]\d*)$/.test(text)) return Number(text);
  if (/^\{[^:"]*\}$/.test(text))
    return text
      .slice(1, -1)
      .split(',')
      .filter((each) => each !== '');
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new ValuesError([`--set: ${text} is no JSON`]);
  }
}
