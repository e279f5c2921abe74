import { usageError } from '../errors.ts';
import { parsePath, parseYesNo } from '../parse-setting.ts';
import type { Given } from '../setting.ts';
import { define } from '../setting.ts';
import type { Settings } from '../settings.ts';

/** The sets of controllers that a process can run. */
export const controllerSets = ['firmware', 'hosts', 'network', 'machines'] as const;

/** One of them. */
export type ControllerSetName = (typeof controllerSets)[number];

/** Settings that only `rackwright controllers` has. */
export const controllerSettings = {
  only: define({
    flag: '--only',
    value: '<set>',
    env: 'RACKWRIGHT_ONLY',
    about:
      'which controllers run: firmware, hosts, network, machines; may be repeated; without it those of firmware where --update-service-url is given, those of hosts where --ironic-url or --provisioner agent is, and those of the network',
    isRepeatable: true,
    parse: parseSets,
  }),
  namespace: define({
    flag: '--namespace',
    value: '<name>',
    env: 'RACKWRIGHT_NAMESPACE',
    about:
      'only objects of this namespace are looked after, and leaders are elected in it; for controllers that every tenant has of their own',
    parse: parseNamespace,
  }),
  allPorts: define({
    flag: '--all-ports',
    value: '<yes|no>',
    env: 'RACKWRIGHT_ALL_PORTS',
    about:
      'with --namespace: switches and their ports are read in all namespaces, where somebody else keeps them for all tenants',
    fallback: 'no',
    parse: parseYesNo,
  }),
  installed: define({
    flag: '--installed',
    value: '<yes|no>',
    env: 'RACKWRIGHT_INSTALLED',
    about:
      'yes where "rackwright install" or the chart made the cluster ready: nothing is made there besides, and admission is left to "rackwright webhooks"',
    fallback: 'no',
    parse: parseYesNo,
  }),
  webhookService: define({
    flag: '--webhook-service',
    value: '<namespace/name>',
    env: 'RACKWRIGHT_WEBHOOK_SERVICE',
    about:
      'the Service by which the API server of the cluster reaches this process, on --port; instead of --webhook-url',
    parse: parseService,
  }),
  webhookCertificate: define({
    flag: '--webhook-certificate',
    value: '<dir>',
    env: 'RACKWRIGHT_WEBHOOK_CERTIFICATE',
    about:
      'a folder with tls.crt, tls.key and ca.crt, read again when they change, for webhooks; without it they are made here, and kept in a Secret',
    parse: parsePath,
  }),
  tlsSelf: define({
    flag: '--tls-self',
    value: '<yes|no>',
    env: 'RACKWRIGHT_TLS_SELF',
    about:
      'yes: without --tls-cert, serve with a certificate that is made at the start and that nobody can check, for probes of a kubelet',
    fallback: 'no',
    parse: parseYesNo,
  }),
} as const;

function parseNamespace(text: string, { as }: Given): string {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text)) return text;
  throw usageError(`${as}: this is no name of a namespace`);
}

function parseService(text: string, { as }: Given): { readonly namespace: string; readonly name: string } {
  const [, namespace, name] = /^([-a-z0-9]+)\/([-a-z0-9]+)$/.exec(text) ?? [];
  if (namespace === undefined || name === undefined) throw usageError(`${as}: NAMESPACE/NAME of a Service is needed`);
  return { namespace, name };
}

function parseSets(text: string, { as }: Given): readonly ControllerSetName[] {
  return text.split(',').map((each) => {
    const found = controllerSets.find((name) => name === each.trim());
    if (found === undefined) throw usageError(`${as}: one of ${controllerSets.join(', ')} is needed`);
    return found;
  });
}

/** Which sets are to run; refused where nothing tells, or where one lacks what it works with. */
export function chooseSets(
  settings: Settings<'only' | 'updateServiceUrl' | 'ironicUrl' | 'provisioner'>,
): ReadonlySet<ControllerSetName> {
  const { only, updateServiceUrl, ironicUrl, provisioner } = settings;
  const hasHosts = ironicUrl !== undefined || provisioner === 'agent';
  if (only !== undefined) return new Set(only);
  if (updateServiceUrl === undefined && !hasHosts) {
    throw usageError(
      'what is to be looked after? firmware needs --update-service-url, hosts need --ironic-url or --provisioner agent; --only network is for switches alone',
    );
  }
  return new Set<ControllerSetName>([
    ...(updateServiceUrl === undefined ? [] : (['firmware'] as const)),
    ...(hasHosts ? (['hosts'] as const) : []),
    'network',
  ]);
}
