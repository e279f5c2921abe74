/** A line of the log as people read it: time, level, message, then `name=value`. Takes the line as JSON, secrets gone. */
export function textLine(json: string): string {
  const { time, level, msg, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const stacks: string[] = [];
  const words = Object.entries(fields).map(([name, value]) => `${name}=${valueText(value, stacks)}`);
  const head = `${String(time)} ${String(level).toUpperCase().padEnd(5)} ${oneLine(String(msg))}`;
  return `${[head, ...words].join(' ')}\n${stacks.map((stack) => `${stack}\n`).join('')}`;
}

/** Of an error its message; its stack goes below the line, indented, where nobody takes it for a line of its own. */
function valueText(value: unknown, stacks: string[]): string {
  if (typeof value === 'string') return /^[^\s"=\\\p{Cc}]+$/u.test(value) ? value : JSON.stringify(value);
  if (isError(value)) {
    if (value.stack !== undefined) stacks.push(value.stack.replace(/^/gm, '    '));
    return JSON.stringify(value.message);
  }
  return JSON.stringify(value) ?? 'undefined';
}

function isError(value: unknown): value is { readonly message: string; readonly stack?: string } {
  return typeof value === 'object' && value !== null && 'type' in value && 'message' in value && 'stack' in value;
}

function oneLine(text: string): string {
  return /\p{Cc}/u.test(text) ? JSON.stringify(text) : text;
}
