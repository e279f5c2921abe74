import { type AnyKubeObject, isForbidden, isNotFound, type ServedResource, systemClock } from '../../kube/index.ts';
import { defaultNetworkSettings, loadNetwork, type NetworkPlan, planNetwork } from '../../network/index.ts';
import { CliError } from '../errors.ts';
import { grid } from '../firmware/format-plan.ts';
import { type HostObject, machinesOfHost } from '../fleet/fleet-machines.ts';
import { readFleetFacts, readWork } from '../fleet/read-fleet.ts';
import type { RestClient } from '../install-service/rest-client.ts';
import { readVisibleEvents } from '../objects/describe.ts';
import type { Session } from '../objects/session.ts';
import type { OutputForm } from '../output/output-form.ts';
import { plain, renderShown } from '../output/show.ts';
import type { Terminal } from '../terminal.ts';
import { explainObject, type ObjectExplanation } from './explain-object.ts';

/** What an object is explained with. */
export interface WhyParts {
  readonly session: Session;
  readonly terminal: Terminal;
  readonly rest: RestClient | undefined;
  readonly output: OutputForm;
}

/** Kinds that a name without a type may mean, in the order in which they are looked for. */
export const whyKinds = [
  'baremetalhosts.metal3.io',
  'switchports.metal3.io',
  'metal3machines',
  'machines.cluster.x-k8s.io',
];

/** The object of a name in the namespace, if there is one of these kinds. Throws Forbidden only when no kind that may be read has it. */
export async function findObject(
  name: string,
  types: readonly string[],
  session: Session,
): Promise<{ readonly resource: ServedResource; readonly object: AnyKubeObject } | undefined> {
  let refused: unknown;
  for (const type of types) {
    try {
      const resource = await session.mapper.byName(type);
      const key = resource.namespaced ? { name, namespace: session.namespace } : { name };
      return { resource, object: await session.client.resource<AnyKubeObject>(resource).get(key) };
    } catch (error) {
      if (isForbidden(error)) refused ??= error;
      else if (!isNotFound(error)) throw error;
    }
  }
  if (refused !== undefined) throw refused;
  return undefined;
}

/** Explains an object and prints it. */
export async function whyObject(
  { resource, object: found }: { readonly resource: ServedResource; readonly object: AnyKubeObject },
  parts: WhyParts,
): Promise<void> {
  const { terminal, output } = parts;
  const object = { ...found, kind: found.kind ?? resource.kind };
  const key = `${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}`;
  const plan = await planOf(object, key, parts);
  const explained = explainObject({
    object,
    events: await readVisibleEvents(object, parts.session, terminal),
    work: object.kind === 'BareMetalHost' ? await workOn(object as HostObject, parts) : [],
    network: plan?.hosts.find(({ host }) => host === key),
    port: plan?.ports.find(({ port }) => port === key),
  });
  terminal.out(renderShown({ value: explained, names: [explained.about], text: () => formatWhy(explained) }, output));
}

async function planOf(object: AnyKubeObject, key: string, parts: WhyParts): Promise<NetworkPlan | undefined> {
  const hasPorts =
    object.kind === 'SwitchPort' || (object.kind === 'BareMetalHost' && 'ports' in ((object.spec ?? {}) as object));
  if (!hasPorts) return undefined;
  const namespace = object.metadata?.namespace;
  const ports = object.kind === 'SwitchPort' ? [key] : [];
  const loaded = await loadNetwork(parts.session.client, { namespace, ports, signal: parts.terminal.interrupted });
  return planNetwork({ ...loaded, settings: defaultNetworkSettings, only: [key] }, systemClock.now());
}

/** Services that cannot be asked are told of, and the rest is explained all the same. */
async function workOn(host: HostObject, { session, terminal, rest }: WhyParts) {
  if (rest === undefined) return [];
  try {
    const facts = await readFleetFacts(session, { rest, signal: terminal.interrupted });
    const machines = new Set(machinesOfHost(host, facts));
    return await readWork(rest, { machines, most: 20 });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    terminal.err(`Warning: work of the engine is not looked at: ${error.message}\n`);
    return [];
  }
}

function formatWhy({ sentences, conditions, events, advice }: ObjectExplanation): string {
  const parts = [
    sentences.map((each) => `${plain(each)}\n`).join(''),
    grid(
      ['CONDITION', 'STATUS', 'REASON', 'SINCE', 'MESSAGE'],
      conditions.map(({ type, status, reason, lastTransitionTime, message }) => [
        type,
        status,
        reason,
        lastTransitionTime,
        message,
      ]),
    ),
    grid(
      ['EVENT', 'REASON', 'LAST SEEN', 'MESSAGE'],
      events.map(({ type, reason, lastSeen, message }) => [type, reason, lastSeen, message]),
    ),
    `What to type next:\n${advice.map(({ command, purpose }) => `  ${command}\n      to ${purpose}\n`).join('')}`,
  ];
  return parts.filter((part) => part !== '').join('\n');
}
