const maxWarningBytes = 256;
const maxTotalBytes = 4096;

/** Passes a webhook's warnings on: no line breaks, no repetitions, and not without end. */
export function passWarnings(warnings: readonly string[], warn: (text: string) => void): void {
  let total = 0;
  for (const each of new Set(warnings)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters would break the header.
    if (each === '' || /[\x00-\x1f\x7f]/.test(each)) continue;
    total += each.length;
    if (total > maxTotalBytes) {
      warn(each.slice(0, maxWarningBytes));
      continue;
    }
    warn(each);
  }
}
