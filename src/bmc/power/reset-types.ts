import type { Bmc } from '../bmc.ts';
import { BmcError, isBmcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { type Action, actionIn, allowableIn, parametersIn } from '../redfish/index.ts';

/** A reset action, and what it can be asked for. */
export interface ResetOffer {
  readonly target: string;
  /** Undefined where the BMC does not say; then everything may be tried. */
  readonly types: readonly string[] | undefined;
}

/** The reset action of a system or manager: its types are said in place, or by an ActionInfo. */
export async function readResetOffer(bmc: Bmc, body: JsonObject, name: string): Promise<ResetOffer> {
  const action = actionIn(body, name);
  if (action === undefined) {
    const detail = `no action ${name} is offered`;
    throw new BmcError('unsupported', { origin: bmc.gate.origin, what: 'be reset', detail });
  }
  return { target: action.target, types: allowableIn(action.body, 'ResetType') ?? (await typesInInfo(bmc, action)) };
}

async function typesInInfo(bmc: Bmc, action: Action): Promise<readonly string[] | undefined> {
  if (action.actionInfo === undefined) return undefined;
  try {
    const { body } = await bmc.gate.request({ method: 'GET', path: action.actionInfo });
    return parametersIn(body).find(({ name }) => name === 'ResetType')?.allowable;
  } catch (error) {
    // Without it everything may be tried.
    if (isBmcError(error, 'notFound', 'refused', 'malformed', 'unsupported')) return undefined;
    throw error;
  }
}

/** Those of the wanted types that are offered, best first. */
export function offered(offer: ResetOffer, wanted: readonly string[]): readonly string[] {
  const { types } = offer;
  return types === undefined ? wanted : wanted.filter((type) => types.includes(type));
}
