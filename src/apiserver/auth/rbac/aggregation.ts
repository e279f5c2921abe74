import { isDeepStrictEqual } from 'node:util';
import type { ServerCore } from '../../core.ts';
import { patchObject } from '../../handlers/patch.ts';
import { systemContext } from '../../handlers/system-context.ts';
import { compileSelectorObject } from '../../meta/selectors.ts';
import type { Stored } from '../../store/store.ts';
import { followBucket } from '../follow-bucket.ts';
import { type PolicyRule, type RoleObject, rbacBuckets } from './rbac-objects.ts';

const manager = 'clusterrole-aggregation-controller';
const retryAfterMs = 1000;

/** Keeps the rules of ClusterRoles with an aggregationRule equal to the rules of the roles it selects. */
export function startRoleAggregation(core: ServerCore, onFault: (error: unknown) => void): { close(): void } {
  const roles = new Map<string, RoleObject>();
  const applying = new Set<string>();
  let isClosed = false;
  const settle = (): void => {
    if (isClosed) return;
    for (const role of roles.values()) {
      const name = role.metadata.name ?? '';
      const rules = aggregatedRules(role, roles);
      if (rules === undefined || isDeepStrictEqual(rules, role.rules ?? []) || applying.has(name)) continue;
      applying.add(name);
      const again = (): void => {
        applying.delete(name);
        settle();
      };
      // Something may have changed meanwhile; what failed would fail again at once.
      applyRules(core, name, rules).then(again, (error: unknown) => {
        onFault(error);
        setTimeout(again, retryAfterMs).unref();
      });
    }
  };
  const subscription = followBucket(core.store, rbacBuckets.clusterRoles, {
    set: (stored: Stored) => roles.set(stored.name, JSON.parse(stored.json) as RoleObject),
    remove: (stored: Stored) => roles.delete(stored.name),
    settled: settle,
  });
  return {
    close: () => {
      isClosed = true;
      subscription.close();
    },
  };
}

/** The rules a role should have by its aggregationRule, in order of role names, without repetitions. */
export function aggregatedRules(role: RoleObject, all: ReadonlyMap<string, RoleObject>): PolicyRule[] | undefined {
  const selectors = role.aggregationRule?.clusterRoleSelectors;
  if (role.aggregationRule === undefined || role.metadata.deletionTimestamp !== undefined) return undefined;
  const rules = new Map<string, PolicyRule>();
  for (const selector of selectors ?? []) {
    const isSelected = compileSelectorObject(selector);
    for (const name of [...all.keys()].sort()) {
      const other = all.get(name);
      if (other === undefined || name === role.metadata.name) continue;
      if (isSelected !== undefined && !isSelected(other.metadata.labels)) continue;
      for (const rule of other.rules ?? []) rules.set(ruleText(rule), rule);
    }
  }
  return [...rules.values()];
}

function ruleText(rule: PolicyRule): string {
  return JSON.stringify([rule.verbs, rule.apiGroups, rule.resources, rule.resourceNames, rule.nonResourceURLs]);
}

async function applyRules(core: ServerCore, name: string, rules: readonly PolicyRule[]): Promise<void> {
  const served = core.registry.storage(rbacBuckets.clusterRoles);
  if (served === undefined) return;
  const system = systemContext(core, served, { verb: 'patch', name });
  const query = new URLSearchParams({ fieldManager: manager, force: 'true' });
  const context = { ...system, info: { ...system.info, query } };
  const object = { apiVersion: served.apiVersion, kind: served.kind, metadata: { name }, rules };
  const body = Buffer.from(JSON.stringify(object));
  const key = { bucket: served.bucket, namespace: '', name };
  // An apply would create a role that was deleted a moment ago.
  if (core.store.head(key) === undefined) return;
  await patchObject(core, context, served, { key, subresource: '', mediaType: 'application/apply-patch+yaml', body });
}
