import {
  type BareMetalHost,
  clusterConditions as conditionTypes,
  type Metal3MachineStatus,
  metal3ApiVersion,
} from '../../api/index.ts';
import { type ConditionDraft, type Instant, type Reason, writeConditions } from '../../kube/index.ts';
import { legacyConditions, stamped } from '../conditions.ts';
import { nameOf } from '../references.ts';
import { bootDataOf } from './host-changes.ts';
import type { Metal3MachineSeen } from './machine-seen.ts';
import type { MachineState } from './machine-table.ts';

/** What a status is made from besides what is seen. */
export interface MachineOutcome {
  readonly state: MachineState;
  readonly isPaused: boolean;
  readonly why: Reason;
  readonly now: Instant;
}

const owned: readonly string[] = [
  conditionTypes.ready,
  conditionTypes.associateBareMetalHost,
  conditionTypes.paused,
  conditionTypes.unsupported,
];

/** What the status of a machine should say. */
export function describeMachineStatus(seen: Metal3MachineSeen, outcome: MachineOutcome): Metal3MachineStatus {
  const { object, host } = seen;
  const before = object.status;
  const { now } = outcome;
  const drafts = conditionsOf(seen, outcome);
  const isProvisioned = outcome.state === 'Provisioned' || before?.initialization?.provisioned === true;
  const ready = drafts.filter(
    ({ type }) => type === conditionTypes.ready || type === conditionTypes.associateBareMetalHost,
  );
  const { lastUpdated: _, deprecated, ...kept } = before ?? {};
  const context = { before: before?.conditions, generation: object.metadata.generation, now };
  const addresses = host === undefined ? undefined : addressesOf(host);
  const isGiven = host !== undefined && !outcome.isPaused && outcome.state !== 'Deprovisioning';
  const status: Metal3MachineStatus = {
    ...kept,
    ...(isGiven ? bootDataOf(seen) : {}),
    ...(addresses === undefined ? {} : { addresses }),
    ...(isProvisioned ? { initialization: { provisioned: true } } : {}),
    conditions: writeConditions(drafts, context, owned),
    deprecated: {
      ...deprecated,
      v1beta1: { ...deprecated?.v1beta1, conditions: legacyConditions(ready, deprecated?.v1beta1?.conditions, now) },
    },
  };
  return stamped(status, before, now);
}

function conditionsOf(seen: Metal3MachineSeen, { state, isPaused, why }: MachineOutcome): ConditionDraft[] {
  const { host, object } = seen;
  const isReady = state === 'Provisioned';
  const associated: ConditionDraft =
    host === undefined
      ? { type: conditionTypes.associateBareMetalHost, status: 'False', reason: why.code, message: why.message }
      : {
          type: conditionTypes.associateBareMetalHost,
          status: 'True',
          reason: 'AssociateBareMetalHostSuccess',
          message: `The host is ${nameOf(host)}.`,
        };
  const paused: ConditionDraft = isPaused
    ? { type: conditionTypes.paused, status: 'True', reason: 'Paused', message: why.message }
    : { type: conditionTypes.paused, status: 'False', reason: 'NotPaused', message: '' };
  const { dataTemplate } = object.spec;
  const message = `The Metal3DataTemplate ${dataTemplate?.name} is kept, but not rendered.`;
  const unsupported: ConditionDraft[] =
    dataTemplate === undefined
      ? []
      : [{ type: conditionTypes.unsupported, status: 'True', reason: 'DataTemplateNotServed', message }];
  const ready: ConditionDraft = {
    type: conditionTypes.ready,
    status: isReady ? 'True' : 'False',
    reason: isReady ? 'Ready' : why.code,
    // A host that runs may lack networks that its machine asks for since.
    message: isReady && why.code === state ? '' : why.message,
  };
  return [ready, associated, paused, ...unsupported];
}

/** As Metal3 gives them: every address that inspection found, and the name that the host goes by. */
function addressesOf({ status }: BareMetalHost): Metal3MachineStatus['addresses'] {
  const { nics = [], hostname } = status?.hardware ?? {};
  const ips = [...new Set(nics.flatMap(({ ip }) => (ip === undefined || ip === '' ? [] : [ip])))];
  const names = hostname === undefined || hostname === '' ? [] : [hostname];
  const all = [
    ...ips.map((address) => ({ type: 'InternalIP' as const, address })),
    ...names.map((address) => ({ type: 'Hostname' as const, address })),
    ...names.map((address) => ({ type: 'InternalDNS' as const, address })),
  ];
  return all.length === 0 ? undefined : all.slice(0, 256);
}

/** A host as the other object of an event. */
export function relatedHost(host: BareMetalHost): object {
  const { name, namespace, uid } = host.metadata;
  return { apiVersion: metal3ApiVersion, kind: 'BareMetalHost', name, namespace, uid };
}
