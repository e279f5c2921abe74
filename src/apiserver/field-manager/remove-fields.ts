import { isJsonObject, type Json, type JsonObject } from '../../schema/index.ts';
import { setOwn } from '../patch/clone.ts';
import { below, type FieldSet, hasElement, isBare } from './field-set.ts';
import { itemElementOrNone } from './list-item.ts';
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

/** The object without the fields and list items of the set. A struct emptied that way becomes null. */
export function removeFields(type: MergeType, object: JsonObject, fields: FieldSet): JsonObject {
  if (isBare(fields)) return object;
  const rest = remove(type, object, fields);
  return isJsonObject(rest) ? rest : {};
}

function remove(type: MergeType, value: Json, fields: FieldSet): Json {
  const shape = shapeOf(type, value);
  if (shape === 'map' && type.map !== undefined)
    return isJsonObject(value) ? removeFromMap(type.map, value, fields) : null;
  if (shape === 'list' && type.list !== undefined)
    return Array.isArray(value) ? removeFromList(type.list, value, fields) : null;
  return value;
}

function removeFromMap(map: MapType, value: JsonObject, fields: FieldSet): Json {
  if (map.isAtomic) return null;
  const out: JsonObject = {};
  for (const key in value) {
    const element = fieldElement(key);
    const entry = value[key];
    if (entry === undefined || hasElement(fields, element)) continue;
    const inside = below(fields, element);
    setOwn(out, key, inside === undefined ? entry : remove(typeOfField(map, key) ?? deduced, entry, inside));
  }
  return isEmptyMap(out) ? null : out;
}

function removeFromList(list: ListType, items: readonly Json[], fields: FieldSet): Json {
  if (list.isAtomic) return null;
  const out: Json[] = [];
  for (const item of items) {
    const element = itemElementOrNone(list, item);
    if (hasElement(fields, element)) continue;
    const inside = below(fields, element);
    out.push(inside === undefined ? item : remove(list.element, item, inside));
  }
  return out.length === 0 ? null : out;
}
