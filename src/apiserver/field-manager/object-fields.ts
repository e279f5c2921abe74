import { isJsonObject, type Json, type JsonObject } from '../../schema/index.ts';
import { type ElementOrder, type FieldSet, LEAF, withSelf } from './field-set.ts';
import { itemElementOrNone } from './list-item.ts';
import { deduced, isEmptyMap, type ListType, type MapType, type MergeType, shapeOf } from './merge-type.ts';
import { fieldElement } from './path-element.ts';

/** Every field and list item an object mentions: what an applier of the object owns. */
export function fieldsOfObject(type: MergeType, object: JsonObject, order: ElementOrder): FieldSet {
  return fieldsOf(type, object, order) ?? LEAF;
}

function fieldsOf(type: MergeType, value: Json, order: ElementOrder): FieldSet | undefined {
  const shape = shapeOf(type, value);
  if (shape === 'map' && type.map !== undefined) {
    if (type.map.isAtomic) return LEAF;
    return isJsonObject(value) ? fieldsOfMap(type.map, value, order) : undefined;
  }
  if (shape === 'list' && type.list !== undefined) {
    if (type.list.isAtomic) return LEAF;
    return Array.isArray(value) ? fieldsOfList(type.list, value, order) : undefined;
  }
  return LEAF;
}

function fieldsOfMap(map: MapType, value: JsonObject, order: ElementOrder): FieldSet | undefined {
  const found: Record<string, FieldSet> = {};
  for (const key in value) {
    const entry = value[key];
    if (entry === undefined || map.untracked?.has(key) === true) continue;
    const declared = map.fields.get(key);
    const inside = fieldsOf(declared ?? map.element ?? deduced, entry, order);
    const ownsItself = declared === undefined || entry === null || (isJsonObject(entry) && isEmptyMap(entry));
    const node = ownsItself ? withSelf(inside) : inside;
    if (node !== undefined) found[fieldElement(key)] = node;
  }
  return ordered(found, order);
}

function fieldsOfList(list: ListType, items: readonly Json[], order: ElementOrder): FieldSet | undefined {
  const found: Record<string, FieldSet> = {};
  const doubled = new Set<string>();
  for (const item of items) {
    const element = itemElementOrNone(list, item);
    if (found[element] !== undefined) doubled.add(element);
    found[element] = doubled.has(element) ? LEAF : withSelf(fieldsOf(list.element, item, order));
  }
  return ordered(found, order);
}

function ordered(found: Record<string, FieldSet>, order: ElementOrder): FieldSet | undefined {
  const keys = Object.keys(found);
  if (keys.length === 0) return undefined;
  const out: Record<string, FieldSet> = {};
  for (const key of order(keys)) out[key] = found[key] as FieldSet;
  return out;
}

/** The set with every declared field on the way to a member added: taking away all of a struct takes the struct. */
export function withNamedParents(set: FieldSet, type: MergeType | undefined): FieldSet {
  const out: Record<string, FieldSet> = {};
  for (const element in set) {
    const node = set[element] as FieldSet;
    out[element] = element === '.' ? node : parentOf(node, element, type);
  }
  return out;
}

function parentOf(node: FieldSet, element: string, type: MergeType | undefined): FieldSet {
  if (element.startsWith('f:')) {
    const name = element.slice(2);
    const declared = type?.map?.fields.get(name);
    const inside = withNamedParents(node, declared ?? type?.map?.element);
    return declared === undefined ? inside : withSelf(inside);
  }
  return withNamedParents(node, element.startsWith('k:') ? type?.list?.element : undefined);
}
