import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type Pair } from 'yaml';

/** The nodes of a YAML document that stand for others, each with the node it stands for. */
export type Aliases = ReadonlyMap<Alias, Node>;

/**
 * Finds what each alias of a document stands for, or why the document is refused, in Go's words. What aliases unfold
 * to is bounded as in Go's parser: a small text must not become a huge object.
 */
export function resolveAliases(contents: Node | null): { readonly aliases: Aliases } | { readonly error: string } {
  const search: Search = { anchors: new Map(), aliases: new Map(), error: undefined };
  findTargets(contents, search);
  if (search.error !== undefined) return { error: search.error };
  const { aliases } = search;
  const error = aliases.size === 0 ? undefined : unfoldingFault(contents, aliases);
  if (error !== undefined) return { error };
  for (const [alias, target] of aliases) knowTarget(alias, target);
  return { aliases };
}

/** The library looks through all anchors for every alias; with what is known already it need not. */
function knowTarget(alias: Alias, target: Node): void {
  const search = alias.resolve.bind(alias);
  alias.resolve = (document, context) =>
    context?.anchors.get(target)?.res === undefined ? search(document, context) : (target as ReturnType<typeof search>);
}

interface Search {
  readonly anchors: Map<string, Node>;
  readonly aliases: Map<Alias, Node>;
  error: string | undefined;
}

// An alias stands for the last node before it that has its anchor, so nodes are visited in the order of the text.
function findTargets(node: unknown, search: Search): void {
  if (isAlias(node)) {
    const target = search.anchors.get(node.source);
    if (target === undefined) search.error ??= `yaml: unknown anchor '${node.source}' referenced`;
    else search.aliases.set(node, target);
    return;
  }
  if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined)
    search.anchors.set(node.anchor, node);
  if (isSeq(node)) for (const item of node.items) findTargets(item, search);
  if (!isMap(node)) return;
  for (const { key, value } of node.items) {
    findTargets(key, search);
    findTargets(value, search);
  }
}

interface Unfolding {
  readonly aliases: Aliases;
  /** Nodes read, and how many of them only because of an alias. */
  nodes: number;
  fromAliases: number;
  readonly open: Set<Alias>;
}

class Refused extends Error {}

function unfoldingFault(contents: Node | null, aliases: Aliases): string | undefined {
  try {
    unfold(contents, { aliases, nodes: 1, fromAliases: 0, open: new Set() });
    return undefined;
  } catch (cause) {
    if (cause instanceof Refused) return cause.message;
    throw cause;
  }
}

function unfold(node: unknown, at: Unfolding): void {
  at.nodes++;
  if (at.open.size > 0) at.fromAliases++;
  if (isExcessive(at)) throw new Refused('yaml: document contains excessive aliasing');
  if (isAlias(node)) unfoldAlias(node, at);
  else if (isSeq(node)) for (const item of node.items) unfold(item, at);
  else if (isMap(node)) for (const pair of node.items) unfoldPair(pair, at);
}

function unfoldAlias(alias: Alias, at: Unfolding): void {
  if (at.open.has(alias)) throw new Refused(`yaml: anchor '${alias.source}' value contains itself`);
  at.open.add(alias);
  unfold(at.aliases.get(alias), at);
  at.open.delete(alias);
}

function unfoldPair({ key, value }: Pair, at: Unfolding): void {
  const isMerge = isScalar(key) && typeof key.value === 'symbol';
  if (!isMerge) unfold(key, at);
  if (isMerge && isSeq(value)) for (const item of value.items) unfold(item, at);
  else unfold(value, at);
}

const smallDocument = 400_000;
const largeDocument = 4_000_000;

/** Nearly all of a small document may come from aliases, a tenth of a large one. */
function isExcessive({ nodes, fromAliases }: Unfolding): boolean {
  if (fromAliases <= 100 || nodes <= 1000) return false;
  const size = Math.min(1, Math.max(0, (nodes - smallDocument) / (largeDocument - smallDocument)));
  return fromAliases / nodes > 0.99 - 0.89 * size;
}
