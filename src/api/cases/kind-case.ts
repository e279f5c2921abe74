import {
  type CompiledSchema,
  type FieldErrorReason,
  isJsonObject,
  type Json,
  type JsonObject,
} from '../../schema/index.ts';
import type { KindDeclaration } from '../declare.ts';
import { judge, validatorOf } from '../validator.ts';

/** What must come of a case: nothing, or a mistake in this field (an empty field is the whole object). */
export type Verdict = 'accepted' | { readonly field: string; readonly reason: FieldErrorReason };

/** One good or bad object of a kind. With `old`, that object (and its status) is there first. */
export interface KindCase {
  readonly kind: KindDeclaration;
  readonly version: string;
  readonly title: string;
  readonly object: JsonObject;
  readonly old?: JsonObject;
  /** The object goes to the status subresource of `old`, or of itself without its status. */
  readonly isStatusWrite?: boolean;
  readonly verdict: Verdict;
}

/** The causes of a refusal, as a Status lists them; none when the write was accepted. */
export type Causes = readonly { readonly field?: string; readonly reason?: string; readonly message?: string }[];

/** Says how an outcome differs from the verdict of a case; undefined when it does not. */
export function caseVerdict(one: KindCase, causes: Causes): string | undefined {
  const said = causes.map((cause) => `${cause.field ?? ''} ${cause.reason ?? ''} (${cause.message ?? ''})`).join('; ');
  if (one.verdict === 'accepted') return causes.length === 0 ? undefined : `should be accepted, was refused: ${said}`;
  const { field, reason } = one.verdict;
  const wanted = `${field} ${reason}`;
  if (causes.length === 0) return `should be refused for ${wanted}, was accepted`;
  const isThere = causes.some((cause) => bareField(cause.field) === field && cause.reason === reason);
  return isThere ? undefined : `should be refused for ${wanted}, was refused for ${said}`;
}

/** The causes our own validator gives for a case. */
export function ownCauses(one: KindCase): Causes {
  return causesBy(validatorOf(one.kind, one.version), one);
}

/** The same for many cases: each version of a kind is compiled once. */
export function ownJudge(): (one: KindCase) => Causes {
  const compiled = new Map<string, CompiledSchema>();
  return (one) => {
    const key = `${one.kind.group}/${one.kind.kind}/${one.version}`;
    const validator = compiled.get(key) ?? validatorOf(one.kind, one.version);
    compiled.set(key, validator);
    return causesBy(validator, one);
  };
}

function causesBy(validator: CompiledSchema, one: KindCase): Causes {
  const old = one.old ?? (one.isStatusWrite === true ? withoutStatus(one.object) : undefined);
  const { errors } = judge(validator, {
    object: one.object,
    ...(old === undefined ? {} : { old: settle(validator, old, one.title) }),
    ...(one.isStatusWrite === undefined ? {} : { isStatusWrite: one.isStatusWrite }),
  });
  return errors.map((error) => ({ field: error.field, reason: error.reason, message: error.detail }));
}

function settle(validator: CompiledSchema, old: JsonObject, title: string): JsonObject {
  const created = judge(validator, { object: withoutStatus(old) });
  if (created.errors.length > 0) throw new Error(`the old object of "${title}" is itself wrong`);
  return old.status === undefined ? created.object : { ...created.object, status: old.status };
}

function withoutStatus(object: JsonObject): JsonObject {
  const { status: _, ...rest } = object;
  return rest;
}

function bareField(field: string | undefined): string {
  return field === undefined || field === '<nil>' ? '' : field;
}

/** Changes to a copy of an object, by path (`spec/ports/0/mac`); undefined removes the field. */
export type Changes = Readonly<Record<string, Json | undefined>>;

/** A copy of the object with the changes. */
export function variant(base: JsonObject, changes: Changes): JsonObject {
  const copy = structuredClone(base);
  for (const [path, value] of Object.entries(changes)) put(copy, path.split('/'), value);
  return copy;
}

function put(target: Json, path: readonly string[], value: Json | undefined): void {
  const [head, ...rest] = path;
  if (head === undefined || (!isJsonObject(target) && !Array.isArray(target))) throw new Error(`no place for ${path}`);
  const holder = target as JsonObject;
  if (rest.length > 0) {
    holder[head] ??= {};
    put(holder[head], rest, value);
  } else if (value === undefined) delete holder[head];
  else holder[head] = value;
}

/** A writer of cases for one kind, all of them variants of one good object. */
export function casesOf(kind: KindDeclaration, version: string, base: JsonObject) {
  const make = (title: string, changes: Changes, verdict: Verdict): KindCase => {
    return { kind, version, title, object: variant(base, changes), verdict };
  };
  return {
    accepts: (title: string, changes: Changes): KindCase => make(title, changes, 'accepted'),
    refuses: (title: string, changes: Changes, verdict: Verdict): KindCase => make(title, changes, verdict),
    update: (title: string, before: Changes, changes: Changes, verdict: Verdict): KindCase => {
      const old = variant(base, before);
      return { ...make(title, {}, verdict), old, object: variant(old, changes) };
    },
    status: (title: string, status: JsonObject, verdict: Verdict): KindCase => {
      return { ...make(title, { status }, verdict), isStatusWrite: true };
    },
  };
}
