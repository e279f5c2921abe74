import type {
  BareMetalHost,
  Switch,
  SwitchPort,
  SwitchPortConfiguration,
  SwitchResourceLimit,
} from '../../api/index.ts';
import { createTable, type KubeObject } from '../../kube/index.ts';
import { hostIndexers, type NetworkTables, pluggedHostOf, portIndexers, switchIndexers } from '../fabric/tables.ts';

/** What tests put into tables. */
export interface TableDraft {
  readonly switches?: readonly Switch[];
  readonly ports?: readonly SwitchPort[];
  readonly configurations?: readonly SwitchPortConfiguration[];
  readonly limits?: readonly SwitchResourceLimit[];
  readonly hosts?: readonly BareMetalHost[];
}

/** For tests: tables of given objects. */
export function tablesOf({
  switches = [],
  ports = [],
  configurations = [],
  limits = [],
  hosts = [],
}: TableDraft): NetworkTables {
  const none = createTable<never>([]);
  return {
    switches: createTable(switches as (Switch & KubeObject)[], switchIndexers),
    ports: createTable(ports as (SwitchPort & KubeObject)[], portIndexers),
    configurations: createTable(configurations as (SwitchPortConfiguration & KubeObject)[]),
    limits: createTable(limits as (SwitchResourceLimit & KubeObject)[]),
    hosts: createTable(hosts.map(pluggedHostOf), hostIndexers),
    providers: { AnsibleSwitch: none, OVSSwitch: none, FixtureSwitch: none },
  };
}
