import { isJsonObject, type Json, type JsonObject } from '../../schema/index.ts';
import { type FieldSet, LEAF } from './field-set.ts';
import { itemElement } from './list-item.ts';
import {
  deduced,
  isEmptyMap,
  type ListType,
  type MapType,
  type MergeType,
  shapeOf,
  typeOfField,
} from './merge-type.ts';
import { fieldElement } from './path-element.ts';

/** The value itself and every field and item in it: what appears, or goes, when the whole value does. */
export function everyField(type: MergeType, value: Json): FieldSet {
  const shape = shapeOf(type, value);
  if (shape === 'map' && type.map !== undefined) return everyFieldOfMap(type.map, value);
  if (shape === 'list' && type.list !== undefined) return everyFieldOfList(type.list, value);
  return LEAF;
}

function everyFieldOfMap(map: MapType, value: Json): FieldSet {
  if (map.isAtomic || !isJsonObject(value) || isEmptyMap(value)) return LEAF;
  const out: Record<string, FieldSet> = { '.': LEAF };
  fillFromMap(out, map, value);
  return out;
}

function fillFromMap(out: Record<string, FieldSet>, map: MapType, value: JsonObject): void {
  for (const key in value) {
    const entry = value[key];
    if (entry === undefined || map.untracked?.has(key) === true) continue;
    out[fieldElement(key)] = everyField(typeOfField(map, key) ?? deduced, entry);
  }
}

function everyFieldOfList(list: ListType, value: Json): FieldSet {
  if (list.isAtomic || !Array.isArray(value) || value.length === 0) return LEAF;
  const out: Record<string, FieldSet> = { '.': LEAF };
  for (const item of value) {
    const element = itemElement(list, item);
    // Items that cannot be told apart are owned as one.
    out[element] = out[element] === undefined ? everyField(list.element, item) : LEAF;
  }
  return out;
}
