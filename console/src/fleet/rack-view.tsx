import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { framesOf, isTrouble, type RackFrame, racksOf } from './fleet-view.ts';
import type { HostRow } from './host-row.ts';
import type { FirmwareByHost } from './join-firmware.ts';

const rackWidth = 196;
const gap = 14;
const slotHeight = 23;
const frameHeight = 52;

/** Hosts where they stand. Racks side by side, as many lines of them as are in sight. */
export function RackView({ rows, firmware }: { readonly rows: readonly HostRow[]; readonly firmware: FirmwareByHost }) {
  const scroller = useRef<HTMLDivElement>(null);
  const perLine = useRacksPerLine(scroller);
  const lines = useMemo(() => linesOf(framesOf(racksOf(rows)), perLine), [rows, perLine]);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heightOf(lines[index] ?? []),
    overscan: 1,
    getItemKey: (index) => lines[index]?.[0]?.key ?? index,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be scrollable with the keyboard.
    <div className="rack-scroll" ref={scroller} tabIndex={0} role="region" aria-label="Racks, scrolls">
      <div className="rack-lines" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => (
          <div className="rack-line" key={key} style={{ transform: `translateY(${start}px)` }}>
            {lines[index]?.map((frame) => (
              <Frame key={frame.key} frame={frame} firmware={firmware} />
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

function Frame({ frame, firmware }: { readonly frame: RackFrame; readonly firmware: FirmwareByHost }) {
  const { rack, hosts, part } = frame;
  const inTrouble = hosts.filter(isTrouble).length;
  const label = part === undefined ? rack : `${rack}, hosts ${part.first} to ${part.last} of ${part.of}`;
  const size = part === undefined ? `${hosts.length} hosts` : `${part.first}–${part.last} of ${part.of}`;
  return (
    <section className="rack" aria-label={`Rack ${label}`}>
      <header>
        <h2>{rack}</h2>
        <span className={inTrouble > 0 ? 'problem' : 'faint'}>{inTrouble > 0 ? `${inTrouble} in trouble` : size}</span>
      </header>
      <ol>
        {hosts.map((row) => (
          <Slot key={row.key} row={row} isBehind={isBehind(firmware, row)} />
        ))}
      </ol>
    </section>
  );
}

function isBehind(firmware: FirmwareByHost, { key }: HostRow): boolean {
  const tone = firmware.get(key)?.tone;
  return tone === 'warn' || tone === 'bad';
}

function Slot({ row, isBehind: isOld }: { readonly row: HostRow; readonly isBehind: boolean }) {
  const { namespace, name, state, health, isOn } = row;
  const said = [
    state,
    health.word === state ? '' : health.word,
    isOn ? 'on' : 'off',
    isOld ? 'firmware behind' : '',
    health.why,
  ];
  return (
    <li>
      <Link
        to="/hosts/$namespace/$name"
        params={{ namespace, name }}
        className={`slot tone-${health.tone}`}
        title={said.filter(Boolean).join(', ')}
      >
        <span className={isOn ? 'led is-on' : 'led'} aria-hidden="true" />
        <span className="slot-name">{name}</span>
        <span className="slot-word">{health.tone === 'good' ? state : health.word}</span>
        {isOld ? <span className="slot-mark" aria-hidden="true" /> : null}
        <span className="visually-hidden">
          {isOn ? ', on' : ', off'}
          {isOld ? ', firmware behind' : ''}
        </span>
      </Link>
    </li>
  );
}

function useRacksPerLine(scroller: React.RefObject<HTMLDivElement | null>): number {
  const [perLine, setPerLine] = useState(1);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const measure = () => setPerLine(Math.max(1, Math.floor((element.clientWidth + gap) / (rackWidth + gap))));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  return perLine;
}

function linesOf(racks: readonly RackFrame[], perLine: number): readonly (readonly RackFrame[])[] {
  const lines: RackFrame[][] = [];
  for (let i = 0; i < racks.length; i += perLine) lines.push(racks.slice(i, i + perLine));
  return lines;
}

function heightOf(line: readonly RackFrame[]): number {
  return frameHeight + gap + slotHeight * Math.max(0, ...line.map(({ hosts }) => hosts.length));
}
