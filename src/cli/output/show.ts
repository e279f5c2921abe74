import type { Command } from 'commander';
import { stringify } from 'yaml';
import type { JsonObject } from '../../schema/index.ts';
import { usageError } from '../errors.ts';
import { formatGrid } from '../objects/table.ts';
import type { OutputForm } from './output-form.ts';

/** What a command has to show: one value for programs, and a text for people. */
export interface Shown {
  readonly value: object;
  text(style: { readonly isWide: boolean }): string;
  /** For `-o name`; undefined where nothing has a name. */
  readonly names?: readonly string[];
}

/** Gives a command the flag that says in which form its result is printed. */
export function addOutputFlag(command: Command): Command {
  return command.option('-o, --output <form>', 'json, yaml, wide, name or jsonpath=TEMPLATE');
}

/** The text of a result in the form that was asked for. */
export function renderShown(shown: Shown, output: OutputForm): string {
  switch (output.form) {
    case 'table':
      return shown.text({ isWide: output.isWide });
    case 'json':
    case 'yaml':
      return documentText(shown.value, output.form);
    case 'name':
      if (shown.names === undefined) throw usageError('-o name: what this command shows has no names');
      return shown.names.map((name) => `${name}\n`).join('');
    case 'jsonpath':
      return output.template(asJson(shown.value));
  }
}

/** Any value as a document. */
export function documentText(value: object, form: 'json' | 'yaml'): string {
  return form === 'json' ? `${JSON.stringify(value, null, 4)}\n` : yamlText(asJson(value));
}

/** A value as YAML that readers of YAML 1.1 understand alike. */
export function yamlText(value: object): string {
  return stringify(value, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false, sortMapEntries: true });
}

/** As a reader of the JSON would see it: without what is undefined. */
function asJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

/** A column of a list: its title, and the cell of each item. */
export interface Column<T> {
  readonly title: string;
  readonly cell: (item: T) => string;
  /** Only with `-o wide`. */
  readonly isWide?: boolean;
}

/** A list that is a table for people and `{items: [...]}` for programs. */
export function showList<T extends object>(
  items: readonly T[],
  columns: readonly Column<T>[],
  nameOf?: (item: T) => string,
): Shown {
  return {
    value: { items },
    ...(nameOf === undefined ? {} : { names: items.map(nameOf) }),
    text({ isWide }) {
      if (items.length === 0) return '';
      const shown = columns.filter((column) => isWide || column.isWide !== true);
      const rows = items.map((item) => shown.map(({ cell }) => plain(cell(item))));
      return formatGrid({ header: shown.map(({ title }) => title), rows }, { hasHeader: true });
    },
  };
}

/** What devices tell must not reach the terminal as it is. */
export function plain(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ');
}
