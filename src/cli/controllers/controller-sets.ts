import { usageError } from '../errors.ts';
import type { Given } from '../setting.ts';
import { define } from '../setting.ts';
import type { Settings } from '../settings.ts';

/** The sets of controllers that a process can run. */
export const controllerSets = ['firmware', 'hosts', 'network'] as const;

/** One of them. */
export type ControllerSetName = (typeof controllerSets)[number];

/** Settings that only `rackwright controllers` has. */
export const controllerSettings = {
  only: define({
    flag: '--only',
    value: '<set>',
    env: 'RACKWRIGHT_ONLY',
    about:
      'which controllers run: firmware, hosts, network; may be repeated; without it those of firmware where --update-service-url is given, those of hosts where --ironic-url or --provisioner agent is, and those of the network',
    isRepeatable: true,
    parse: parseSets,
  }),
} as const;

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
