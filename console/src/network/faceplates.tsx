import { useVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState } from 'react';
import { type Switch, SwitchFaceplate } from './faceplate.tsx';
import type { Faceplate } from './port-view.ts';

const usualHeight = 164;
const gap = 14;

/** The fronts of all switches, of which those in sight are in the page. They scroll with the page they are in. */
export function Faceplates({
  plates,
  switches,
  only,
}: {
  readonly plates: readonly Faceplate[];
  /** By namespace and name. */
  readonly switches: ReadonlyMap<string, Switch>;
  readonly only: number | undefined;
}) {
  const list = useRef<HTMLDivElement>(null);
  const scrollMargin = useDistanceFromTop(list);
  const virtualizer = useVirtualizer({
    count: plates.length,
    getScrollElement: () => scrollerOf(list.current),
    estimateSize: () => usualHeight,
    getItemKey: (index) => plates[index]?.key ?? index,
    overscan: 3,
    gap,
    scrollMargin,
  });
  return (
    <div ref={list} className="faceplates" style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map(({ index, key, start }) => {
        const plate = plates[index];
        if (plate === undefined) return null;
        return (
          <div
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            className="faceplate-place"
            style={{ transform: `translateY(${start - scrollMargin}px)` }}
          >
            <SwitchFaceplate plate={plate} of={switches.get(plate.key)} only={only} />
          </div>
        );
      })}
    </div>
  );
}

function scrollerOf(element: HTMLElement | null): HTMLElement | null {
  return element?.closest('main') ?? null;
}

/** How far below the beginning of the page a part of it is: what is above it comes and goes. */
function useDistanceFromTop(of: React.RefObject<HTMLDivElement | null>): number {
  const [distance, setDistance] = useState(0);
  // After every drawing: nothing tells of what is above.
  useLayoutEffect(() => {
    const scroller = scrollerOf(of.current);
    if (of.current === null || scroller === null) return;
    const top = of.current.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
    setDistance(Math.round(top));
  });
  return distance;
}
