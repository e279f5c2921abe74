const paths = {
  brand: 'M4 4h16v4H4zM4 10h16v4H4zM4 16h16v4H4z',
  fleet: 'M4 5h16v5H4zM4 14h16v5H4zM7 7.5h.01M7 16.5h.01M11 7.5h6M11 16.5h6',
  tasks: 'M4 6l2 2 3-3M4 13l2 2 3-3M12 7h8M12 14h8M12 20h8M5 20h2',
  firmware: 'M7 7h10v10H7zM10 3v4M14 3v4M10 17v4M14 17v4M3 10h4M3 14h4M17 10h4M17 14h4',
  network: 'M12 3v6M5 21v-6h14v6M12 9v6M3 21h4M10 21h4M17 21h4M9 3h6',
  discovery: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5',
  audit: 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h7',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 21a8 8 0 0 1 16 0',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M5 19l1.5-1.5M17.5 6.5L19 5',
  moon: 'M20 14A8 8 0 1 1 10 4a7 7 0 0 0 10 10z',
  power: 'M12 3v9M6.5 7a8 8 0 1 0 11 0',
  reboot: 'M20 12a8 8 0 1 1-2.5-5.8M20 3v5h-5',
  update: 'M12 20V8M6 13l6-6 6 6M5 3h14',
  detach: 'M9 7l-3 3a4 4 0 0 0 5.5 5.5M15 17l3-3a4 4 0 0 0-5.5-5.5M4 4l16 16',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  check: 'M5 12l5 5 9-11',
  cross: 'M6 6l12 12M18 6L6 18',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 3',
  rack: 'M5 3h14v18H5zM8 7h8M8 11h8M8 15h8',
  table: 'M3 5h18v14H3zM3 10h18M3 15h18M9 5v14',
} as const;

/** The icons there are. */
export type IconName = keyof typeof paths;

/** A drawing beside words; never alone, so nobody reads it out. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
