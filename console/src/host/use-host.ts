import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KubeObject, resources, type StatusCondition } from '../api/kinds.ts';
import { getObject, listObjects } from '../api/objects.ts';
import { explainError } from '../api/refused.ts';
import { useLiveObjects } from '../api/use-live.ts';
import type { ServerFirmwareObject } from '../fleet/firmware-row.ts';
import { type HostObject, marksOf } from '../fleet/host-row.ts';
import type { SwitchPort } from '../network/port-view.ts';
import { findServer } from './find-server.ts';
import { type ComponentsObject, installedParts } from './firmware-slots.ts';
import { namedPorts, type PortAnswer, type PortWhere } from './host-ports.ts';
import { readCatalogue } from './read-catalogue.ts';
import type { EventObject } from './timeline.ts';

/** Which host a page shows. */
export interface HostWhere {
  readonly namespace: string;
  readonly name: string;
}

/** HostFirmwareSettings as far as the console reads it. */
export interface SettingsObject extends KubeObject {
  readonly spec?: { readonly settings?: Readonly<Record<string, string | number>> };
  readonly status?: {
    readonly settings?: Readonly<Record<string, string>>;
    readonly schema?: { readonly name: string; readonly namespace: string };
    readonly conditions?: readonly StatusCondition[];
  };
}

/** HostUpdatePolicy as far as the console reads it. */
export interface PolicyObject extends KubeObject {
  readonly spec?: { readonly firmwareSettings?: string; readonly firmwareUpdates?: string };
}

const soonMs = 4000;
const seldomMs = 30_000;

/** Everything about one host. The host itself is followed; what hangs on it is asked for again now and then. */
export function useHost(where: HostWhere) {
  const { namespace, name } = where;
  const list = useLiveObjects<HostObject>(resources.hosts, where);
  const host = list.items[0];
  const settings = useQuery({
    queryKey: ['settings', namespace, name],
    queryFn: ({ signal }) => getObject<SettingsObject>(resources.firmwareSettings, where, signal).then(orNull),
    refetchInterval: soonMs,
  });
  const components = useQuery({
    queryKey: ['components', namespace, name],
    queryFn: ({ signal }) => getObject<ComponentsObject>(resources.firmwareComponents, where, signal).then(orNull),
    refetchInterval: soonMs,
  });
  const policy = useQuery({
    queryKey: ['policy', namespace, name],
    queryFn: ({ signal }) => getObject<PolicyObject>(resources.updatePolicies, where, signal).then(orNull),
    refetchInterval: soonMs,
  });
  const marks = host === undefined ? undefined : marksOf(host);
  const found = useQuery({
    queryKey: ['server-of', namespace, marks],
    enabled: marks !== undefined,
    queryFn: async ({ signal }) => (marks === undefined ? null : orNull(await findServer(marks, signal))),
    refetchInterval: seldomMs,
  });
  const server = useQuery({
    queryKey: ['server-firmware', found.data],
    enabled: typeof found.data === 'string',
    queryFn: async () => {
      const fieldSelector = `spec.serverRef.name=${found.data}`;
      const [own] = await listObjects<ServerFirmwareObject>(resources.serverFirmwares, {}, { fieldSelector });
      return orNull(own);
    },
    refetchInterval: soonMs,
  });
  const events = useQuery({
    queryKey: ['events', namespace, name],
    queryFn: () =>
      listObjects<EventObject>(
        resources.events,
        { namespace },
        { fieldSelector: `involvedObject.kind=BareMetalHost,involvedObject.name=${name}`, limit: '200' },
      ),
    refetchInterval: soonMs,
  });
  const hardware = host?.status?.hardware?.systemVendor;
  const { manufacturer = '', productName: model = '' } = hardware ?? {};
  const known = { components: components.data ?? undefined, server: server.data ?? undefined, hardware };
  const installed = installedParts(known);
  const catalogue = useQuery({
    queryKey: ['catalogue', manufacturer, model, installed],
    enabled: model !== '',
    queryFn: () => readCatalogue({ vendor: manufacturer, model, installed }),
    staleTime: seldomMs,
    refetchInterval: seldomMs,
    // What is installed is known a moment after the model is, and changes while it is updated.
    placeholderData: keepPreviousData,
  });
  const named = host === undefined ? [] : namedPorts(host);
  const ports = useQuery({
    queryKey: ['host-ports', ...named.map((each) => `${each.namespace}/${each.name}`)],
    enabled: named.length > 0,
    queryFn: ({ signal }) => Promise.all(named.map((each) => askPort(each, signal))),
    refetchInterval: soonMs,
  });
  return { list, host, settings, components, policy, found, server, known, events, catalogue, ports };
}

/** Ports are of another team, often: one that may not be read must not hide the others. */
async function askPort(where: PortWhere, signal: AbortSignal): Promise<PortAnswer> {
  try {
    const port = await getObject<SwitchPort>(resources.switchPorts, where, signal);
    return port === undefined ? { ...where, problem: 'There is no such port.' } : { ...where, port };
  } catch (error) {
    if (signal.aborted) throw error;
    return { ...where, problem: explainError(error) };
  }
}

/** A query may not answer undefined. */
function orNull<T>(value: T | undefined): T | null {
  return value ?? null;
}
