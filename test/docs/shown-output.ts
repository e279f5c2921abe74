/**
 * True when a command printed what a page shows. A line `...` stands for any lines; ages, loopback ports and the width of
 * columns differ from run to run.
 */
export function isAsShown(printed: string, shown: string): boolean {
  const parts = `\n${alike(shown)}`.split(/(?<=\n)\.\.\.\n/);
  let rest = `\n${alike(printed)}`;
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    if (index === 0 && parts.length === 1) return rest === part;
    if (index === 0 ? !rest.startsWith(part) : isLast && !rest.endsWith(part)) return false;
    const at = isLast ? rest.length - part.length : rest.indexOf(part);
    if (at < 0) return false;
    rest = rest.slice(at + part.length);
  }
  return true;
}

function alike(text: string): string {
  return text
    .replaceAll(/(\/\/127\.[\d.]+):\d{4,5}\b/g, '$1:PORT')
    .replaceAll(/\b(?:\d+[hms])+$/gm, 'AGE')
    .replaceAll(/ +/g, ' ')
    .replaceAll(/ $/gm, '');
}
