import type { Bmc, ServiceRoot } from '../bmc.ts';
import { isBmcError } from '../errors.ts';
import type { GateLane } from '../gate/gate.ts';
import type { JsonObject } from '../json.ts';
import { booleanIn, integerIn, linkIn, objectIn, textIn } from './read.ts';
import { detectVendor } from './vendor.ts';

/** Where every Redfish service begins. */
export const rootPath = '/redfish/v1/';

/** Asks for the service root without logging in; with a log-in where the BMC insists. */
export async function fetchServiceRoot(gate: GateLane): Promise<ServiceRoot> {
  try {
    const reply = await gate.request({ method: 'GET', path: rootPath, isPublic: true });
    return parseServiceRoot(reply.body);
  } catch (error) {
    // Some BMCs hide even the root from strangers, against the standard.
    if (!isBmcError(error) || (error.status !== 401 && error.status !== 403)) throw error;
    const reply = await gate.request({ method: 'GET', path: rootPath });
    return parseServiceRoot(reply.body);
  }
}

/** What a service root says, as far as the root alone can tell. */
export function parseServiceRoot(body: JsonObject): ServiceRoot {
  const expandQuery = expandQueryIn(body);
  return {
    vendor: detectVendor({ root: body }),
    redfishVersion: textIn(body, 'RedfishVersion') ?? '1.0.0',
    uuid: textIn(body, 'UUID'),
    product: textIn(body, 'Product'),
    hasExpand: expandQuery !== undefined,
    ...(expandQuery === undefined ? {} : { expandQuery }),
    systems: linkIn(body, 'Systems') ?? `${rootPath}Systems`,
    chassis: linkIn(body, 'Chassis'),
    managers: linkIn(body, 'Managers'),
    updateService: linkIn(body, 'UpdateService'),
    tasks: linkIn(body, 'Tasks') ?? linkIn(body, 'TaskService'),
    eventService: linkIn(body, 'EventService'),
    registries: linkIn(body, 'Registries'),
    body,
  };
}

/** The query that expands the members of a collection: all links, or (HPE) only those outside of Links. */
function expandQueryIn(body: JsonObject): string | undefined {
  const expand = objectIn(body, 'ProtocolFeaturesSupported', 'ExpandQuery');
  if ((integerIn(expand, 'MaxLevels') ?? 1) < 1) return undefined;
  const levels = booleanIn(expand, 'Levels') === false ? '' : '($levels=1)';
  if (booleanIn(expand, 'ExpandAll') === true) return `$expand=*${levels}`;
  return booleanIn(expand, 'NoLinks') === true ? `$expand=.${levels}` : undefined;
}

/** The service root as it says of itself, asked for once a connection: cheaper than `bmc.root()`, which may look further. */
export function bareRoot(bmc: Bmc): Promise<ServiceRoot> {
  const { notes } = bmc;
  if (notes === undefined) return fetchServiceRoot(bmc.gate);
  if (notes.root === undefined) {
    const asked = fetchServiceRoot(bmc.gate);
    notes.root = asked;
    // A failure is told to those who wait and not kept.
    asked.catch(() => {
      if (notes.root === asked) delete notes.root;
    });
  }
  return notes.root;
}
