import type { ExtraAnswer, ExtraRequest, ExtraRoute } from '../../apiserver/index.ts';
import {
  type AnyKubeObject,
  createClient,
  createResourceMapper,
  type DirectConnectionOptions,
  KubeError,
  systemClock,
} from '../../kube/index.ts';
import { isJsonObject, type Json } from '../../schema/index.ts';
import { CliError } from '../errors.ts';
import type { ControllerSettings } from '../firmware-plane/start-controllers.ts';
import type { Manifest } from '../objects/manifests.ts';
import type { Session } from '../objects/session.ts';

/** Where the API server is; known only once it listens. */
export type ServerAddress = () =>
  | Pick<DirectConnectionOptions, 'server' | 'caPem' | 'serverName' | 'isTlsUnverified'>
  | undefined;

/** What of a request a plan is made from: so that others than the embedded server can serve plans. */
export type PlanRequest = Pick<ExtraRequest, 'body' | 'authorization' | 'signal'>;

/** What plans are made with. */
export interface PlanParts {
  readonly address: ServerAddress;
  /** What the controllers decide by, so that the plan says what they would do. */
  readonly settings: ControllerSettings;
}

/** Paths that tell what would be done, to whoever asks, by what they may see; nothing is changed. */
export function planRoutes(parts: PlanParts): ExtraRoute[] {
  return [
    {
      method: 'POST',
      path: '/plan',
      answer: (request) => withSession(parts, request, (session) => planFirmware(parts, { session, request })),
    },
    {
      method: 'GET',
      path: '/plan/network',
      answer: (request) => withSession(parts, request, (session) => planNetwork(session, request)),
    },
  ];
}

/** Speaks to the API server with the credentials of whoever asks. */
async function withSession(
  { address }: PlanParts,
  { authorization, signal }: PlanRequest,
  act: (session: Session) => Promise<ExtraAnswer>,
): Promise<ExtraAnswer> {
  const token = /^Bearer\s+(\S+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) {
    return refusal(400, 'BadRequest', 'a plan is made with the rights of a bearer token; send one');
  }
  const server = address();
  if (server === undefined) return refusal(503, 'ServiceUnavailable', 'the server is starting; ask again soon');
  const client = await createClient({ ...server, token }, { fieldManager: 'rackwright', userAgent: 'rackwright-plan' });
  try {
    return await act({
      client,
      mapper: createResourceMapper(client),
      namespace: 'default',
      isNamespaceGiven: false,
    });
  } catch (error) {
    if (signal.aborted) return refusal(499, 'ClientClosedRequest', 'nobody waits for the plan any more');
    return explain(error);
  } finally {
    await client.close();
  }
}

async function planFirmware(
  { settings }: PlanParts,
  { session, request }: { readonly session: Session; readonly request: PlanRequest },
): Promise<ExtraAnswer> {
  const asked = readOrder(request.body);
  if (typeof asked === 'string') return refusal(422, 'Invalid', asked);
  const { assumeManifests } = await import('../firmware/assume-manifests.ts');
  const firmware = await import('../../firmware/index.ts');
  const { firmwareSettingsOf } = await import('../firmware-plane/start-controllers.ts');
  const { readPlanFacts } = await import('../firmware/plan-firmware.ts');
  const stored = await readPlanFacts(session, request.signal);
  const warnings: string[] = [];
  const flags = { fieldManager: asked.fieldManager, forceConflicts: asked.isForced, isReplacing: true };
  const { facts, assumed } =
    asked.manifests.length === 0
      ? { facts: stored, assumed: [] }
      : await assumeManifests(asked.manifests, stored, { flags, session, warn: (text) => warnings.push(text.trim()) });
  const reading = {
    compare: firmware.compareVersions,
    settings: { ...firmware.defaultFirmwareSettings, ...firmwareSettingsOf(settings) },
  };
  const plan = firmware.planFirmware({ facts, assumed, reading }, systemClock.now());
  return { code: 200, body: { ...plan, warnings } };
}

async function planNetwork({ client }: Session, { signal }: PlanRequest): Promise<ExtraAnswer> {
  const network = await import('../../network/index.ts');
  const loaded = await network.loadNetwork(client, { signal });
  const plan = network.planNetwork({ ...loaded, settings: network.defaultNetworkSettings }, systemClock.now());
  return { code: 200, body: plan };
}

interface PlanOrder {
  readonly manifests: readonly Manifest[];
  readonly fieldManager: string;
  readonly isForced: boolean;
}

/** What was posted, or what is wrong with it. */
function readOrder(body: unknown): PlanOrder | string {
  if (!isJsonObject(body as Json)) return 'the body is an object with "objects": those that would be applied';
  const { objects = [], fieldManager = 'rackwright', force = false } = body as Readonly<Record<string, unknown>>;
  if (!Array.isArray(objects) || !objects.every((each: Json) => isJsonObject(each))) {
    return '"objects" is a list of objects that would be applied';
  }
  if (typeof fieldManager !== 'string' || fieldManager === '') return '"fieldManager" is a name';
  if (typeof force !== 'boolean') return '"force" is true or false';
  const manifests = objects.map((object, at) => ({ object: object as AnyKubeObject, source: `object ${at + 1}` }));
  return { manifests, fieldManager, isForced: force };
}

function explain(error: unknown): ExtraAnswer {
  const { cause } = error instanceof Error ? error : {};
  if (error instanceof CliError) {
    const known = cause instanceof KubeError && cause.code >= 400 ? cause : undefined;
    return refusal(known?.code ?? 422, known?.reason ?? 'Invalid', error.message);
  }
  if (error instanceof KubeError && error.code >= 400) return refusal(error.code, error.reason, error.message);
  throw error;
}

function refusal(code: number, reason: string, message: string): ExtraAnswer {
  return { code, reason, message };
}
