import type { JsonObject } from '../../engine/index.ts';

/** What is asked for, in the words of whoever asks. */
export interface WantedWork {
  readonly kind: string;
  readonly parameters: JsonObject;
}

const powerStates: Readonly<Record<string, WantedWork>> = {
  on: { kind: 'powerOn', parameters: {} },
  // Hard, and still not in the middle of a flash: who wants that says `force`.
  off: { kind: 'powerOff', parameters: { grace_period_seconds: 0 } },
  soft: { kind: 'powerOff', parameters: {} },
  cycle: { kind: 'powerCycleHard', parameters: {} },
  reset: { kind: 'powerCycleHard', parameters: {} },
};

/** Kinds that shipped under other names, as the kinds that the document has. Others stay as they are. */
export function fromShippedKind(wanted: WantedWork): WantedWork {
  const kind = wanted.kind.toLowerCase();
  if (kind === 'inventory') return fromInventory(wanted);
  if (kind === 'servercontrol') return fromServerControl(wanted);
  if (kind === 'broker') return fromBroker(wanted);
  return wanted;
}

/** The name of a kind as it is stored, for whoever asks by the name that shipped. */
export function storedKind(kind: string): string {
  return kind.toLowerCase() === 'inventory' ? 'inventoryOOB' : kind;
}

function fromInventory({ kind, parameters }: WantedWork): WantedWork {
  const { inventory_method: method, ...rest } = parameters;
  if (method === 'inband') return { kind: 'inventoryInband', parameters: rest };
  if (method !== undefined && method !== 'outofband') return { kind, parameters };
  return { kind: 'inventoryOOB', parameters: rest };
}

/** One kind on the bus that shipped, two in the records: two actions of one server must not collide. */
function fromBroker({ kind, parameters }: WantedWork): WantedWork {
  const { action } = parameters;
  return action === 'acquireServer' || action === 'releaseServer'
    ? { kind: `broker.${action}`, parameters }
    : { kind, parameters };
}

function fromServerControl({ kind, parameters }: WantedWork): WantedWork {
  const { action, action_parameter: parameter, ...rest } = parameters;
  const name = String(parameter);
  const power = action === 'set_power_state' && Object.hasOwn(powerStates, name) ? powerStates[name] : undefined;
  return power === undefined
    ? { kind, parameters }
    : { kind: power.kind, parameters: { ...rest, ...power.parameters } };
}
