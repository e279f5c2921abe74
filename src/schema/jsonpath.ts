import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { type JsonPathNode, parseJsonPath } from './jsonpath-parse.ts';
import { equalJson } from './schema-types.ts';

/** A compiled path: every value it finds, or why it is no path. */
export type JsonPath = { readonly error: string } | { find(object: JsonObject): Json[] };

type Step = (values: readonly Json[]) => Json[];

/** Compiles the JSONPath of printer columns and selectable fields; missing fields are found as nothing. */
export function compileJsonPath(path: string): JsonPath {
  const nodes = parseJsonPath(path);
  if ('error' in nodes) return nodes;
  const steps = compileSteps(nodes.nodes);
  return { find: (object) => run(steps, [object]) };
}

function compileSteps(nodes: readonly JsonPathNode[]): Step[] {
  return nodes.map(compileStep);
}

function run(steps: readonly Step[], start: readonly Json[]): Json[] {
  let values: Json[] = [...start];
  for (const step of steps) {
    if (values.length === 0) return values;
    values = step(values);
  }
  return values;
}

function compileStep(node: JsonPathNode): Step {
  switch (node.type) {
    case 'field':
      return (values) => values.flatMap((value) => fieldOf(value, node.name));
    case 'wildcard':
      return (values) => values.flatMap(childrenOf);
    case 'recursive':
      return (values) => values.flatMap(descendantsOf);
    case 'slice':
      return (values) => values.flatMap((value) => sliceOf(value, node));
    case 'union': {
      const branches = node.branches.map(compileSteps);
      return (values) => values.flatMap((value) => branches.flatMap((branch) => run(branch, [value])));
    }
    case 'filter': {
      const matches = compileFilter(node);
      return (values) => values.flatMap((value) => (Array.isArray(value) ? value.filter(matches) : []));
    }
    case 'constant':
      return () => [node.value];
  }
}

function fieldOf(value: Json, name: string): Json[] {
  if (name === '') return [value];
  return isJsonObject(value) && Object.hasOwn(value, name) ? [value[name] as Json] : [];
}

function childrenOf(value: Json): Json[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

function descendantsOf(value: Json): Json[] {
  return [value, ...childrenOf(value).flatMap(descendantsOf)];
}

function sliceOf(value: Json, node: Extract<JsonPathNode, { type: 'slice' }>): Json[] {
  if (!Array.isArray(value)) return [];
  const length = value.length;
  const from = wrap(node.from ?? 0, length);
  const to = node.isIndex ? from + 1 : wrap(node.to ?? length, length);
  const step = node.step ?? 1;
  if (step <= 0 || from < 0) return [];
  const found: Json[] = [];
  for (let i = from; i < Math.min(to, length); i += step) found.push(value[i] as Json);
  return found;
}

function wrap(index: number, length: number): number {
  return index < 0 ? index + length : index;
}

function compileFilter(node: Extract<JsonPathNode, { type: 'filter' }>): (element: Json) => boolean {
  const left = compileSteps(node.left);
  const right = compileSteps(node.right);
  if (node.operator === 'exists') return (element) => run(left, [element]).length > 0;
  return (element) => {
    const a = run(left, [element])[0];
    const b = run(right, [element])[0];
    return a !== undefined && b !== undefined && compare(a, b, node.operator);
  };
}

function compare(a: Json, b: Json, operator: string): boolean {
  if (operator === '==') return equalJson(a, b);
  if (operator === '!=') return !equalJson(a, b);
  const areComparable = typeof a === typeof b && (typeof a === 'number' || typeof a === 'string');
  if (!areComparable || a === null || b === null) return false;
  if (operator === '<') return a < b;
  if (operator === '>') return a > b;
  return operator === '<=' ? a <= b : a >= b;
}
