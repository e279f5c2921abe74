import { metal3ApiVersion, type SwitchPortConfiguration } from '../../api/index.ts';
import {
  addFinalizer,
  type Controller,
  type ControllerOptions,
  defineController,
  type KubeClient,
  type KubeObject,
  ok,
  removeFinalizer,
  type Watch,
} from '../../kube/index.ts';
import { type NetworkTables, usersOf } from '../fabric/tables.ts';
import { networkFieldManager, networkFinalizer, resources } from '../resources.ts';
import { type ConfigurationEffect, type ConfigurationSeen, decideConfiguration } from './decide-configuration.ts';

/** What the configuration controller works with. */
export interface ConfigurationControllerParts {
  readonly client: KubeClient;
  readonly tables: NetworkTables;
  readonly watches: readonly Watch[];
}

/** Holds configurations that are in use. */
export function createConfigurationController(
  { client, tables, watches }: ConfigurationControllerParts,
  options: ControllerOptions,
): Controller<ConfigurationEffect, never> {
  const configurations = client.resource<SwitchPortConfiguration & KubeObject>(resources.configurations);
  const { clock, random } = options;
  const retry = { clock, random, fieldManager: networkFieldManager };
  return defineController<ConfigurationSeen, ConfigurationEffect, never>(
    {
      name: 'switch-port-configuration',
      watches,
      read: (key) => {
        const configuration = tables.configurations.get(key);
        return configuration === undefined ? undefined : { configuration, users: usersOf(tables, key) };
      },
      decide: decideConfiguration,
      statusOf: () => undefined,
      writeStatus: () => Promise.resolve(),
      subjectOf: ({ configuration }) => ({
        ...configuration,
        apiVersion: metal3ApiVersion,
        kind: 'SwitchPortConfiguration',
      }),
      effects: {
        hold: async (_, { seen, signal }) =>
          ok(await addFinalizer(configurations, seen.configuration, networkFinalizer, { ...retry, signal })),
        'let-go': async (_, { seen, signal }) =>
          ok(await removeFinalizer(configurations, seen.configuration, networkFinalizer, { ...retry, signal })),
      },
    },
    options,
  );
}
