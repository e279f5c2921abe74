import type { UserInfo } from '../../resource.ts';
import type { ObjectStore, Stored } from '../../store/store.ts';
import { followBucket } from '../follow-bucket.ts';
import { compileRule, type RuleMatcher } from './match-rule.ts';
import { type BindingObject, type PolicyRule, type RoleObject, type RoleRef, rbacBuckets } from './rbac-objects.ts';
import { describeSubject, keysOf, subjectKey } from './subjects.ts';

/** A role's rules as stored and as compiled. */
export interface CompiledRole {
  readonly rules: readonly PolicyRule[];
  readonly matchers: readonly RuleMatcher[];
}

/** A binding that applies to a user, and the role it grants, which may not exist. */
export interface Grant {
  readonly binding: CompiledBinding;
  readonly role: CompiledRole | undefined;
}

/** A binding, ready to say why it allows something. */
export interface CompiledBinding {
  readonly name: string;
  readonly namespace: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly { readonly key: string | undefined; readonly text: string }[];
}

/** Bindings of one namespace, or of the cluster, by whom they are for. */
interface BindingTable {
  readonly byName: Map<string, CompiledBinding>;
  /** Rebuilt when next asked for after a change. */
  bySubject: Map<string, CompiledBinding[]> | undefined;
}

/** Every stored role and binding, compiled, in memory, and never older than the last commit. */
export class RbacIndex {
  readonly #roles = new Map<string, CompiledRole>();
  readonly #bindings = new Map<string, BindingTable>();

  /** Reads what is stored and follows every change. */
  follow(store: ObjectStore): { close(): void } {
    const roles = { set: (s: Stored) => this.#setRole(s), remove: (s: Stored) => this.#roles.delete(roleKeyOf(s)) };
    const bindings = { set: (s: Stored) => this.#setBinding(s), remove: (s: Stored) => this.#removeBinding(s) };
    const subscriptions = [
      followBucket(store, rbacBuckets.clusterRoles, roles),
      followBucket(store, rbacBuckets.roles, roles),
      followBucket(store, rbacBuckets.clusterRoleBindings, bindings),
      followBucket(store, rbacBuckets.roleBindings, bindings),
    ];
    return {
      close: () => {
        for (const subscription of subscriptions) subscription.close();
      },
    };
  }

  /** Everything bound to a user: cluster-wide first, then in the namespace unless it is empty. */
  *grantsOf(user: UserInfo, namespace: string): Generator<Grant> {
    const keys = keysOf(user);
    yield* this.#grantsIn('', keys);
    if (namespace !== '') yield* this.#grantsIn(namespace, keys);
  }

  /** The role a reference means in a namespace. */
  roleOf(ref: RoleRef, namespace: string): CompiledRole | undefined {
    return this.#roles.get(ref.kind === 'ClusterRole' ? `/${ref.name}` : `${namespace}/${ref.name}`);
  }

  *#grantsIn(namespace: string, keys: readonly string[]): Generator<Grant> {
    const table = this.#bindings.get(namespace);
    if (table === undefined) return;
    const bySubject = subjectsOf(table);
    for (const key of keys) {
      for (const binding of bySubject.get(key) ?? []) {
        yield { binding, role: this.roleOf(binding.roleRef, namespace) };
      }
    }
  }

  #setRole(stored: Stored): void {
    const { rules } = JSON.parse(stored.json) as RoleObject;
    // Lists that a client left out or set to null are empty.
    const list = (rules ?? []).map((rule) => ({ ...rule, verbs: rule.verbs ?? [] }));
    this.#roles.set(roleKeyOf(stored), { rules: list, matchers: list.map(compileRule) });
  }

  #setBinding(stored: Stored): void {
    const { roleRef, subjects } = JSON.parse(stored.json) as BindingObject;
    const { name, namespace } = stored;
    const table = this.#bindings.get(namespace) ?? { byName: new Map(), bySubject: undefined };
    this.#bindings.set(namespace, table);
    const compiled = (subjects ?? []).map((subject) => ({
      key: subjectKey(subject, namespace),
      text: describeSubject(subject, namespace),
    }));
    table.byName.set(name, { name, namespace, roleRef, subjects: compiled });
    table.bySubject = undefined;
  }

  #removeBinding({ name, namespace }: Stored): void {
    const table = this.#bindings.get(namespace);
    if (table === undefined) return;
    table.byName.delete(name);
    table.bySubject = undefined;
    if (table.byName.size === 0) this.#bindings.delete(namespace);
  }
}

function roleKeyOf({ namespace, name }: Stored): string {
  return `${namespace}/${name}`;
}

function subjectsOf(table: BindingTable): Map<string, CompiledBinding[]> {
  if (table.bySubject !== undefined) return table.bySubject;
  const bySubject = new Map<string, CompiledBinding[]>();
  for (const name of [...table.byName.keys()].sort()) {
    const binding = table.byName.get(name);
    if (binding === undefined) continue;
    for (const key of new Set(binding.subjects.map((s) => s.key))) {
      if (key === undefined) continue;
      const known = bySubject.get(key);
      if (known === undefined) bySubject.set(key, [binding]);
      else known.push(binding);
    }
  }
  table.bySubject = bySubject;
  return bySubject;
}
