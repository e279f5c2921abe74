import { RE2JS } from 're2js';
import { JobError } from '../../errors.ts';
import type { CommandEnd } from './run-command.ts';
import type { CommandTemplate, ScanTemplate } from './settings.ts';

/** A version that a command printed. */
export interface PrintedFirmware {
  readonly component: string;
  readonly name: string;
  readonly manufacturer: string | undefined;
  readonly version: string;
}

/** Throws unless a command did what it should, by the rules of its template. */
export function judgeCommand(
  template: CommandTemplate & { readonly restartCodes?: readonly number[] },
  end: CommandEnd,
): void {
  const [command = ''] = template.command;
  const seconds = template.deadlineSeconds ?? defaultDeadlineSeconds;
  if (end.isLate) throw new JobError('commandLate', { command, seconds });
  const said = (end.lines.at(-1) ?? 'it printed nothing').slice(0, 500);
  const good = [...(template.successCodes ?? [0]), ...(template.restartCodes ?? [])];
  if (end.code === undefined)
    throw new JobError('commandFailed', { command, detail: `it was ended by a signal; ${said}` });
  if (template.transientCodes?.includes(end.code) === true) {
    throw new JobError('commandUnavailable', { command, detail: `it ended with ${end.code}: ${said}` });
  }
  if (!good.includes(end.code))
    throw new JobError('commandFailed', { command, detail: `it ended with ${end.code}: ${said}` });
  const bad = (template.failurePatterns ?? []).map((text) => RE2JS.compile(text));
  const failure = end.lines.find((line) => bad.some((each) => each.matcher(line).find()));
  if (failure !== undefined) throw new JobError('commandFailed', { command, detail: failure.slice(0, 500) });
}

/** How long commands may take that say nothing about it. */
export const defaultDeadlineSeconds = 3600;

/** The versions in what a command printed: for each line the first rule that knows it. Throws `nothingRead`. */
export function readFirmwareLines(
  { lines: rules, command }: ScanTemplate,
  printed: readonly string[],
): readonly PrintedFirmware[] {
  const compiled = rules.map((rule) => ({ ...rule, expression: RE2JS.compile(rule.pattern) }));
  const found = printed.flatMap((line) => {
    for (const { expression, component, manufacturer, pattern } of compiled) {
      const matcher = expression.matcher(line);
      if (!matcher.find()) continue;
      const group = (name: string): string | undefined =>
        pattern.includes(`<${name}>`) ? (matcher.group(name)?.trim() ?? undefined) : undefined;
      const version = group('version') ?? '';
      const what = component ?? group('component') ?? '';
      if (version === '' || what === '') continue;
      return [
        { component: what, name: group('name') ?? what, manufacturer: manufacturer ?? group('manufacturer'), version },
      ];
    }
    return [];
  });
  if (found.length === 0) throw new JobError('nothingRead', { command: command[0] ?? '' });
  return found;
}

/** How far a line says that a command is; undefined for lines that say nothing of it. */
export function readPercent(pattern: string | undefined, line: string): number | undefined {
  if (pattern === undefined) return undefined;
  const matcher = RE2JS.compile(pattern).matcher(line);
  const percent = matcher.find() ? Number(matcher.group('percent')) : Number.NaN;
  return percent >= 0 && percent <= 100 ? percent : undefined;
}
