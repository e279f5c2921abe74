import { isJsonObject, type Json, type JsonObject } from '../../schema/index.ts';
import { goTypeOf, printGoSyntax, printGoValue } from '../patch/go-format.ts';
import { itemElement, TypedError } from './list-item.ts';
import { type ListType, type MapType, type MergeType, type ScalarType, shapeOf, typeOfField } from './merge-type.ts';
import { fieldElement, printElement } from './path-element.ts';

interface Mistake {
  path: string;
  readonly message: string;
}

/** What is wrong with an applied object, in the words of the typed merge; undefined when it fits its schema. */
export function checkApplied(type: MergeType, object: JsonObject): string | undefined {
  const mistakes = check(type, object);
  const [first] = mistakes;
  if (first === undefined) return undefined;
  if (mistakes.length === 1) return print(first);
  return ['errors:', ...mistakes.map((mistake) => `  ${print(mistake)}`)].join('\n');
}

function print(mistake: Mistake): string {
  return mistake.path === '' ? mistake.message : `${mistake.path}: ${mistake.message}`;
}

function wrong(message: string): Mistake[] {
  return [{ path: '', message }];
}

function check(type: MergeType, value: Json): Mistake[] {
  const shape = shapeOf(type, value);
  if (shape === 'map' && type.map !== undefined) return checkMap(type.map, value);
  if (shape === 'list' && type.list !== undefined) return checkList(type.list, value);
  return type.scalar === undefined ? [] : checkScalar(type.scalar, value);
}

function checkScalar(scalar: ScalarType, value: Json): Mistake[] {
  if (value === null) return [];
  switch (scalar) {
    case 'numeric':
      return typeof value === 'number' ? [] : wrong(`expected numeric (int or float), got ${goTypeOf(value)}`);
    case 'string':
      return typeof value === 'string'
        ? []
        : wrong(`expected string, got &value.valueUnstructured{Value:${printGoSyntax(value)}}`);
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrong(`expected boolean, got &{${printGoValue(value)}}`);
    case 'untyped':
      return typeof value === 'object' ? wrong(`expected any scalar, got &{${printGoValue(value)}}`) : [];
  }
}

function checkMap(map: MapType, value: Json): Mistake[] {
  if (value === null) return [];
  if (!isJsonObject(value)) return wrong(`expected map, got &{${printGoValue(value)}}`);
  const mistakes: Mistake[] = [];
  for (const key in value) {
    if (value[key] === undefined) continue;
    const type = typeOfField(map, key);
    const prefix = printElement(fieldElement(key));
    if (type === undefined) {
      mistakes.push({ path: prefix, message: 'field not declared in schema' });
      return mistakes;
    }
    mistakes.push(...under(prefix, check(type, value[key] as Json)));
  }
  return mistakes;
}

function checkList(list: ListType, value: Json): Mistake[] {
  if (value === null) return [];
  if (!Array.isArray(value)) return wrong(`expected list, got &{${printGoValue(value)}}`);
  const mistakes: Mistake[] = [];
  const seen = new Set<string>();
  for (const [i, item] of value.entries()) {
    const element = list.isAtomic ? `i:${i}` : elementOrReason(list, item);
    if (typeof element !== 'string') return [...mistakes, ...wrong(`element ${i}: ${element.reason}`)];
    if (seen.has(element)) mistakes.push(...wrong(`duplicate entries for key ${printElement(element)}`));
    seen.add(element);
    mistakes.push(...under(printElement(element), check(list.element, item)));
  }
  return mistakes;
}

function elementOrReason(list: ListType, item: Json): string | { reason: string } {
  try {
    return itemElement(list, item);
  } catch (error) {
    if (error instanceof TypedError) return { reason: error.message };
    throw error;
  }
}

function under(prefix: string, mistakes: Mistake[]): Mistake[] {
  for (const mistake of mistakes) mistake.path = prefix + mistake.path;
  return mistakes;
}
