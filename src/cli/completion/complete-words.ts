import type { Command, Option } from 'commander';
import { type ArgumentSource, argumentSources, optionSources } from './sources.ts';

/** One thing that could be typed. */
export interface Candidate {
  readonly word: string;
  readonly about?: string | undefined;
}

/** What could be typed next: words that are known, something to be looked up, or the name of a file. */
export type Completion =
  | { readonly kind: 'words'; readonly words: readonly Candidate[] }
  | { readonly kind: 'files' }
  | { readonly kind: 'look-up'; readonly order: LookUpOrder };

/** What has to be looked up, and where. */
export interface LookUpOrder {
  readonly source: Exclude<ArgumentSource, 'files' | readonly string[]>;
  /** The word so far. */
  readonly begun: string;
  /** Arguments before it. */
  readonly earlier: readonly string[];
  /** Flags so far, by the names that commands know them by. */
  readonly flags: Readonly<Record<string, string | true>>;
  /** Goes before each word. */
  readonly prefix?: string;
}

/** Where the words so far lead. */
interface Place {
  readonly command: Command;
  readonly earlier: string[];
  readonly flags: Record<string, string | true>;
  /** The option that the next word is the value of. */
  readonly awaiting: Option | undefined;
}

/** What the last word could become; all of it comes from the tree of commands. */
export function completeWords(program: Command, words: readonly string[]): Completion {
  const begun = words.at(-1) ?? '';
  const place = walk(program, words.slice(0, -1));
  if (place.awaiting !== undefined) return optionValue(place.awaiting, { begun, place });
  const [, flag, value] = /^(--[^=]+)=(.*)$/s.exec(begun) ?? [];
  if (flag !== undefined && value !== undefined) {
    const option = findOption(place.command, flag);
    if (option === undefined) return { kind: 'words', words: [] };
    return withPrefix(optionValue(option, { begun: value, place }), `${flag}=`);
  }
  if (begun.startsWith('-')) return { kind: 'words', words: optionsOf(place.command, begun) };
  const parts = place.earlier.length === 0 ? commandsOf(place.command, begun) : [];
  return parts.length > 0 ? { kind: 'words', words: parts } : argumentOf(place, begun);
}

function walk(program: Command, words: readonly string[]): Place {
  let command = program;
  let awaiting: Option | undefined;
  const earlier: string[] = [];
  const flags: Record<string, string | true> = {};
  for (const word of words) {
    if (awaiting !== undefined) {
      flags[awaiting.attributeName()] = word;
      awaiting = undefined;
    } else if (word.startsWith('-') && word !== '-') {
      const [, name = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
      const option = findOption(command, name);
      if (option?.required === true && value === undefined) awaiting = option;
      else if (option !== undefined) flags[option.attributeName()] = value ?? true;
    } else {
      const part = earlier.length === 0 ? command.commands.find((one) => one.name() === word) : undefined;
      if (part === undefined) earlier.push(word);
      else command = part;
    }
  }
  return { command, earlier, flags, awaiting };
}

function findOption(command: Command, flag: string): Option | undefined {
  return command.options.find(({ long, short }) => long === flag || short === flag);
}

function optionsOf(command: Command, begun: string): Candidate[] {
  return command.options.flatMap(({ long, short, hidden, description }) => {
    const word = [long, short].find((flag) => flag?.startsWith(begun) === true);
    return word === undefined || hidden ? [] : [{ word, about: description }];
  });
}

function commandsOf(command: Command, begun: string): Candidate[] {
  return command.commands
    .filter((part) => part.name().startsWith(begun))
    .map((part) => ({ word: part.name(), about: part.summary() }));
}

interface Value {
  readonly begun: string;
  readonly place: Place;
}

function optionValue(option: Option, { begun, place }: Value): Completion {
  return completionOf(optionSources[option.long ?? ''] ?? [], { begun, place });
}

function argumentOf(place: Place, begun: string): Completion {
  const sources = argumentSources[pathOf(place.command)] ?? [];
  // The last one goes on for ever.
  const source = sources[Math.min(place.earlier.length, sources.length - 1)];
  return completionOf(source ?? [], { begun, place });
}

function completionOf(source: ArgumentSource, { begun, place }: Value): Completion {
  if (source === 'files') return { kind: 'files' };
  if (typeof source === 'string') {
    return { kind: 'look-up', order: { source, begun, earlier: place.earlier, flags: place.flags } };
  }
  return { kind: 'words', words: source.filter((word) => word.startsWith(begun)).map((word) => ({ word })) };
}

/** `--output=` goes before each value again, since a shell replaces the whole word. */
function withPrefix(completion: Completion, prefix: string): Completion {
  if (completion.kind === 'files') return completion;
  if (completion.kind === 'look-up') return { kind: 'look-up', order: { ...completion.order, prefix } };
  const words = completion.words.map(({ word, about }) => ({ word: `${prefix}${word}`, about }));
  return { kind: 'words', words };
}

/** `simulate log`. */
function pathOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}
