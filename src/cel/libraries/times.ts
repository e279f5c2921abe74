import type { Implementation, Library } from '../declarations.ts';
import { CelError } from '../errors.ts';
import { type CalendarFields, calendarOf } from '../time.ts';
import type { CelDuration, CelTimestamp } from '../values.ts';

function field(read: (fields: CalendarFields) => number): Implementation {
  return (timestamp, zone = 'UTC') => {
    const fields = calendarOf(timestamp as CelTimestamp, zone as string);
    if (fields === undefined) throw new CelError(`unknown time zone ${zone as string}`);
    return read(fields);
  };
}

function accessor(id: string, read: (fields: CalendarFields) => number): Library[string] {
  const get = field(read);
  const zoned = id === 'timestamp_to_seconds' ? `${id}_tz` : `${id}_with_tz`;
  return { [id]: ['timestamp.() -> int', (timestamp) => get(timestamp)], [zoned]: ['timestamp.(string) -> int', get] };
}

function milliseconds(timestamp: CelTimestamp): number {
  return Math.floor(timestamp.nanos / 1_000_000);
}

function inUnits(nanoseconds: bigint): Implementation {
  return (duration) => Number((duration as CelDuration).nanoseconds / nanoseconds);
}

/** Parts of timestamps and durations. */
export const timeLibrary: Library = {
  getFullYear: accessor('timestamp_to_year', (f) => f.year),
  getMonth: accessor('timestamp_to_month', (f) => f.month),
  getDayOfYear: accessor('timestamp_to_day_of_year', (f) => f.yearDay),
  getDayOfMonth: accessor('timestamp_to_day_of_month', (f) => f.day),
  getDate: accessor('timestamp_to_day_of_month_1_based', (f) => f.day + 1),
  getDayOfWeek: accessor('timestamp_to_day_of_week', (f) => f.weekday),
  getHours: {
    ...accessor('timestamp_to_hours', (f) => f.hour),
    duration_to_hours: ['duration.() -> int', inUnits(3_600_000_000_000n)],
  },
  getMinutes: {
    ...accessor('timestamp_to_minutes', (f) => f.minute),
    duration_to_minutes: ['duration.() -> int', inUnits(60_000_000_000n)],
  },
  getSeconds: {
    ...accessor('timestamp_to_seconds', (f) => f.second),
    duration_to_seconds: ['duration.() -> int', inUnits(1_000_000_000n)],
  },
  getMilliseconds: {
    timestamp_to_milliseconds: ['timestamp.() -> int', (timestamp) => milliseconds(timestamp as CelTimestamp)],
    timestamp_to_milliseconds_with_tz: [
      'timestamp.(string) -> int',
      (timestamp) => milliseconds(timestamp as CelTimestamp),
    ],
    duration_to_milliseconds: ['duration.() -> int', inUnits(1_000_000n)],
  },
};
