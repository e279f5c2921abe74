/** The longest text about a condition that is kept. */
const longestText = 4000;

/**
 * A text that came from a device or a caller, so that it can be stored: databases refuse NUL and halves of surrogate
 * pairs, and the end of hours of work must not be lost for one in the words of a BMC.
 */
export function toldText(text: string): string {
  const short = text.length > longestText ? `${text.slice(0, longestText)}…` : text;
  return short.replaceAll('\0', '').toWellFormed();
}
