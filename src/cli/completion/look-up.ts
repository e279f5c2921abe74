import type { AnyKubeObject } from '../../kube/index.ts';
import { type Session, withSession } from '../objects/session.ts';
import { readTargets } from '../objects/targets.ts';
import type { Terminal } from '../terminal.ts';
import type { Candidate, LookUpOrder } from './complete-words.ts';

/** Somebody waits with a finger on the key. */
const patience = '2s';

/** Words that only a server knows; none when it cannot be asked, since a shell is no place for complaints. */
export async function lookUp(order: LookUpOrder, terminal: Terminal): Promise<readonly Candidate[]> {
  try {
    const found = await findWords(order, { ...terminal, err: () => {} });
    const { begun, prefix = '' } = order;
    return found
      .filter(({ word }) => word.startsWith(begun))
      .toSorted((a, b) => (a.word < b.word ? -1 : 1))
      .map(({ word, about }) => ({ word: `${prefix}${word}`, about }));
  } catch {
    return [];
  }
}

async function findWords(order: LookUpOrder, terminal: Terminal): Promise<Candidate[]> {
  const { source, flags } = order;
  if (source === 'simulated') return await simulatedServers(flags, terminal);
  if (source === 'inventory' || source === 'conditions') return await askRest(order, terminal);
  return await withSession({ ...flags, requestTimeout: patience }, terminal, (session) => askServer(order, session));
}

async function askServer({ source, begun, earlier }: LookUpOrder, session: Session): Promise<Candidate[]> {
  switch (source) {
    case 'namespaces':
      return (await namesOf('namespaces', session)).map((word) => ({ word }));
    case 'machines':
      return (await Promise.all(['baremetalhosts', 'servers'].map((type) => namedWith(type, session)))).flat();
    case 'ports':
      return (await Promise.all(['baremetalhosts', 'switchports'].map((type) => namedWith(type, session)))).flat();
    default:
      return await objectsLike(begun, earlier, session);
  }
}

/** Kinds first; the names of one once it is said, also as TYPE/NAME. */
async function objectsLike(begun: string, earlier: readonly string[], session: Session): Promise<Candidate[]> {
  const slash = begun.indexOf('/');
  if (slash !== -1) {
    const type = begun.slice(0, slash);
    return (await namesOf(type, session)).map((name) => ({ word: `${type}/${name}` }));
  }
  const [type] = earlier;
  if (type !== undefined && !type.includes('/')) return (await namesOf(type, session)).map((word) => ({ word }));
  const kinds = await session.mapper.all();
  return kinds
    .filter(({ isPreferred, verbs }) => isPreferred && verbs.includes('list'))
    .map(({ resource, kind, shortNames }) => ({ word: resource, about: [kind, ...shortNames].join(', ') }));
}

async function namedWith(type: string, session: Session): Promise<Candidate[]> {
  return (await namesOf(type, session).catch(() => [])).map((word) => ({ word, about: type }));
}

async function namesOf(type: string, session: Session): Promise<string[]> {
  const targets = await readTargets([type], session);
  const lists = await Promise.all(
    targets.map(({ resource }) =>
      session.client
        .resource<AnyKubeObject>(resource)
        .list(resource.namespaced ? { namespace: session.namespace } : {}),
    ),
  );
  return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata?.name ?? ''));
}

async function askRest({ source, flags }: LookUpOrder, terminal: Terminal): Promise<Candidate[]> {
  const { withRestIfThere } = await import('../fleet/read-fleet.ts');
  return await withRestIfThere(flags, terminal, async (rest) => {
    if (rest === undefined) return [];
    if (source === 'inventory') {
      type Server = { readonly name: string; readonly uuid: string; readonly model: string };
      const path = '/api/v1/servers?limit=1000';
      const { records } = await rest.ask<{ records: readonly Server[] }>({ method: 'GET', of: 'inventory', path });
      return records.map(({ name, uuid, model }) => ({ word: name === '' ? uuid : name, about: model }));
    }
    type Open = { readonly id: string; readonly kind: string; readonly state: string };
    const { records } = await rest.ask<{ records: readonly Open[] }>({ method: 'GET', path: '/api/v1/conditions' });
    const open = records.filter(({ state }) => state === 'pending' || state === 'active');
    return open.map(({ id, kind, state }) => ({ word: id, about: `${kind}, ${state}` }));
  });
}

async function simulatedServers(flags: LookUpOrder['flags'], terminal: Terminal): Promise<Candidate[]> {
  const { readSettings } = await import('../settings.ts');
  const { listSimulated } = await import('../simulate/running-simulator.ts');
  const { dataDir } = readSettings(['dataDir'], { ...flags }, terminal);
  return (await listSimulated(dataDir)).map(({ name = '', model }) => ({ word: name, about: model }));
}
