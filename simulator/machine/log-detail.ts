/** The text of a logged event: `slot=BIOS version="2.99 Dec 05 2023"`; values with anything but plain characters are quoted. */
export function formatDetail(fields: Readonly<Record<string, string | number>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${/^[^\s"\\=]*$/.test(String(value)) ? value : JSON.stringify(String(value))}`)
    .join(' ');
}

/** The fields of a logged event's text, for whoever checks a history. */
export function readDetail(detail: string): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (const match of detail.matchAll(/([^\s=]+)=("(?:[^"\\]|\\.)*"|\S*)/g)) {
    const [, name = '', value = ''] = match;
    fields[name] = value.startsWith('"') ? String(JSON.parse(value)) : value;
  }
  return fields;
}
