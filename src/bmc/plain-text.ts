/**
 * Control characters (of both sets), those that turn the direction of text or show nothing, odd line ends, and halves of
 * surrogate pairs: databases refuse a text with one.
 */
const rogue = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;
const rogues = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu;

/** Text of a BMC, safe to show: what would steer a terminal, or make text look like another, becomes a space. */
export function plainText(text: string): string {
  return rogue.test(text) ? text.replaceAll(rogues, ' ') : text;
}

/** Plain text that is not endless; a character is kept whole or not at all. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = text.slice(0, most);
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}...`;
}
