const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The day in a vendor's date: `2023-07-19T10:00:00Z`, `20230719`, `July 19, 2023`; undefined for what is no day. */
export function releaseDay(text: string | undefined): string | undefined {
  const plain = text?.trim().slice(0, 40) ?? '';
  const [, year, month, day] = /^(\d{4})-?(\d{2})-?(\d{2})(?!\d)/.exec(plain) ?? [];
  if (year !== undefined) return checked(Number(year), Number(month), Number(day));
  const [, name, dayOfMonth, inYear] = /^([a-z]{3})[a-z]*\.? (\d{1,2}), ?(\d{4})$/i.exec(plain) ?? [];
  if (name === undefined) return undefined;
  return checked(Number(inYear), months.indexOf(name.toLowerCase()) + 1, Number(dayOfMonth));
}

function checked(year: number, month: number, day: number): string | undefined {
  if (year < 1990 || month < 1 || day < 1) return undefined;
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal ? date.toISOString().slice(0, 10) : undefined;
}
