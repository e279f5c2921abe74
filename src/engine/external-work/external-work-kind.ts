import type { JsonObject } from '../condition.ts';
import type { KindDefinition } from '../kinds.ts';

const minute = 60_000;

/** The kind of work that others do to a machine at our request, such as Ironic: it keeps everybody of ours away. */
export const externalWork: KindDefinition = {
  kind: 'externalWork',
  sharing: 'exclusive',
  // Who asks for it owns the host, and knows whether it may be disturbed.
  isDisruptive: false,
  check: checkParameters,
  leaseMs: 15 * minute,
  requestDeadlineMs: minute,
  // It goes on outside whoever watches it here: only its watcher, or the one after, can tell that it is over.
  maxLeases: 1_000_000,
};

function checkParameters(parameters: JsonObject): ReturnType<KindDefinition['check']> {
  const { owner } = parameters;
  const problems = typeof owner === 'string' && owner !== '' ? [] : ['owner is missing: who does the work'];
  const unknown = Object.keys(parameters).filter((member) => member !== 'owner');
  return { parameters, problems: [...problems, ...unknown.map((member) => `there is no parameter ${member}`)] };
}
