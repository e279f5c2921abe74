/** A MAC address as `aa:bb:cc:dd:ee:ff`; undefined for what is none and for those that no interface has. */
export function toMac(value: string | undefined): string | undefined {
  const text = value?.trim().toLowerCase() ?? '';
  if (!/^[0-9a-f]{2}([:-]?[0-9a-f]{2}){5}$/.test(text)) return undefined;
  const digits = text.replaceAll(/[:-]/g, '');
  if (/^0+$/.test(digits) || /^f+$/.test(digits)) return undefined;
  return digits.replaceAll(/(..)(?!$)/g, '$1:');
}
