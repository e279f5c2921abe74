import { nextOf, type Place, placesOf, tableState, type Way, waysOf } from './state-diagram.ts';

const [boxWidth, boxHeight, columnWidth, lineHeight] = [146, 30, 176, 60];
const places = placesOf();
const ways = waysOf();
const placeOf = new Map(places.map((place) => [place.state, place]));
const leaving = new Set(['powering off before delete', 'deleting']);
const width = 1 + Math.max(...places.map(({ column }) => column)) * columnWidth + boxWidth;
const height = 2 + Math.max(...places.map(({ line }) => line)) * lineHeight + boxHeight;

/** The life of a host as the table has it, and where this one is. */
export function StateMachine({ state }: { readonly state: string }) {
  const here = tableState(state);
  const next = new Set(nextOf(state).map(({ to }) => to));
  return (
    <figure className="machine">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={describe(here, next)}>
        {ways.map((way) => (
          <WayLine key={`${way.from}>${way.to}`} way={way} isNext={way.from === here} />
        ))}
        {places.map((place) => (
          <StateBox key={place.state} place={place} isHere={place.state === here} isNext={next.has(place.state)} />
        ))}
      </svg>
    </figure>
  );
}

function describe(here: string, next: ReadonlySet<string>): string {
  return `State machine of a host. It is in ${here}; next may come ${[...next].join(', ') || 'nothing'}.`;
}

function StateBox({
  place,
  isHere,
  isNext,
}: {
  readonly place: Place;
  readonly isHere: boolean;
  readonly isNext: boolean;
}) {
  const [x, y] = cornerOf(place);
  const text =
    place.state === 'powering off before delete' ? 'powering off' : place.state === 'none' ? 'new' : place.state;
  return (
    <g className={`state${isHere ? ' is-here' : ''}${isNext ? ' is-next' : ''}`}>
      <rect x={x} y={y} width={boxWidth} height={boxHeight} rx={6} />
      <text x={x + boxWidth / 2} y={y + boxHeight / 2 + 4}>
        {text}
      </text>
    </g>
  );
}

function WayLine({ way, isNext }: { readonly way: Way; readonly isNext: boolean }) {
  const [from, to] = [placeOf.get(way.from), placeOf.get(way.to)];
  // Every state leads to leaving: drawn for the present one only, or nothing else would be seen.
  if (from === undefined || to === undefined || ((leaving.has(way.to) || way.isAbort) && !isNext)) return null;
  const isStraight = from.line === to.line && Math.abs(from.column - to.column) === 1;
  return <path className={`way${isNext ? ' is-next' : ''}`} d={isStraight ? straight(from, to) : curve(from, to)} />;
}

function cornerOf({ column, line }: Place): readonly [number, number] {
  return [1 + column * columnWidth, 1 + line * lineHeight];
}

function straight(from: Place, to: Place): string {
  const [[x1, y1], [x2]] = [cornerOf(from), cornerOf(to)];
  return from.column < to.column
    ? `M${x1 + boxWidth} ${y1 + boxHeight / 2}H${x2}`
    : `M${x1} ${y1 + boxHeight / 2}H${x2 + boxWidth}`;
}

function curve(from: Place, to: Place): string {
  const [[x1, y1], [x2, y2]] = [cornerOf(from), cornerOf(to)];
  const [startX, endX] = [x1 + boxWidth / 2, x2 + boxWidth / 2];
  if (from.line === to.line) {
    const over = y1 - 14;
    return `M${startX} ${y1}C${startX} ${over} ${endX} ${over} ${endX} ${y2}`;
  }
  const isDown = from.line < to.line;
  const [startY, endY] = [isDown ? y1 + boxHeight : y1, isDown ? y2 : y2 + boxHeight];
  const middle = (startY + endY) / 2;
  return `M${startX} ${startY}C${startX} ${middle} ${endX} ${middle} ${endX} ${endY}`;
}
